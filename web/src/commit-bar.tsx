import type { Ref } from 'preact'
import { useImperativeHandle, useRef, useState } from 'preact/hooks'
import type { WireChange, WireChanges, WireCommit, WireLeft } from '../../src/web/wire.js'
import { commit, post, Refused } from './api.js'
import type { Told } from './app.js'
import { Ask } from './ask.js'
import { keyOf } from './keys.js'
import { LeftOut } from './left-out.js'
import { pluralize, wordsOf } from './shared.js'
import { countHunks, Landing, Lines, landingOf } from './summary.js'

/** What the keys do in the commit bar. */
export interface CommitKeys {
  commit(): void
  merge(): void
}

interface Props extends Told {
  readonly session: string
  readonly shown: WireChanges
  readonly reload: () => Promise<void>
  readonly approveAll: () => void
  /** What the last approval or commit left out. */
  readonly left: readonly WireLeft[]
  readonly setLeft: (left: readonly WireLeft[]) => void
  readonly keys: Ref<CommitKeys>
}

const PHASES: Readonly<Record<string, string>> = {
  checking: 'Checking',
  staging: 'Writing',
  applying: 'Putting in place',
}

/** How much is decided, and the way to the disk. */
export function CommitBar({ session, shown, say, reload, approveAll, left, setLeft, keys }: Props) {
  const [progress, setProgress] = useState<Extract<WireCommit, { phase: string }>>()
  const [done, setDone] = useState<{ id: string; count: number }>()
  const calling = useRef<AbortController>(null)
  const files = shown.groups.flatMap(({ changes }) => changes)
  const landing = landingOf(files)
  const [asks, setAsks] = useState<'commit' | 'merge'>()
  const drifted = files.some(({ flags }) => flags.includes('drifted'))
  const ask = (what: 'commit' | 'merge') => {
    if (progress !== undefined) return say('A commit is under way.', 'bad')
    if (what === 'commit' && landing.length === 0)
      return say('Nothing is approved, so there is nothing to commit.', 'bad')
    if (what === 'merge' && !drifted) return say('No file here was changed on disk since the agent saw it.', 'bad')
    setAsks(what)
  }
  useImperativeHandle(keys, () => ({ commit: () => ask('commit'), merge: () => ask('merge') }))
  const run = async (merge: boolean) => {
    setAsks(undefined)
    calling.current = new AbortController()
    setProgress({ phase: 'checking', files: 0, total: 0 })
    try {
      await commit(session, { ...(merge && { merge }) }, calling.current.signal, (line) => {
        if ('phase' in line) return setProgress(line)
        if ('failed' in line) return say(wordsOf(new Refused(409, line.failed)), 'bad')
        const { id, committed, conflicts, warnings, left: out } = line.done
        if (id !== '') setDone({ id, count: committed.length })
        say(
          id === ''
            ? merge
              ? 'Merged into the stage. Nothing was committed.'
              : 'Nothing was committed.'
            : `${pluralize(committed.length, 'change')} on disk now.`,
          id === '' && !merge ? 'bad' : 'good',
        )
        for (const { path, reason } of conflicts) say(`${path}: ${reason}`, 'bad')
        for (const warning of warnings) say(warning, 'bad')
        setLeft(out)
      })
    } catch (error) {
      say(calling.current.signal.aborted ? 'Called off.' : wordsOf(error), 'bad')
    }
    setProgress(undefined)
    await reload()
  }
  const undo = async (id: string) => {
    try {
      const { session: made } = await post<{ session: string }>('undo', { commit: id })
      say(`The inverse is staged in session ${made}: review it there.`)
      setDone(undefined)
      location.hash = `#/review/${encodeURIComponent(made)}`
    } catch (error) {
      say(wordsOf(error), 'bad')
    }
  }
  return (
    <footer class="commit" aria-label="Commit">
      <LeftOut left={left} close={() => setLeft([])} />
      {done && (
        <p class="done">
          {pluralize(done.count, 'change')} committed.{' '}
          <button type="button" class="link" onClick={() => void undo(done.id)}>
            Undo
          </button>
        </p>
      )}
      {progress ? (
        <div class="progress">
          <progress max={Math.max(1, progress.total)} value={progress.files} aria-label="How far the commit is" />
          <span>
            {PHASES[progress.phase] ?? progress.phase} {progress.files} of {progress.total}
          </span>
          <button type="button" onClick={() => calling.current?.abort()}>
            Call off
          </button>
        </div>
      ) : (
        <>
          <Meter counts={countHunks(files)} />
          <div class="actions">
            {drifted && (
              <button
                type="button"
                title={`Take what changed on disk meanwhile into the stage (${keyOf('merge')})`}
                onClick={() => ask('merge')}
              >
                Merge what moved
              </button>
            )}
            <button
              type="button"
              disabled={files.length === 0}
              title={`Approve all that is shown (${keyOf('approveAll')})`}
              onClick={approveAll}
            >
              Approve all
            </button>
            <button
              type="button"
              id="commit"
              class="main"
              disabled={landing.length === 0}
              title={`Put what is approved on disk (${keyOf('commit')})`}
              onClick={() => ask('commit')}
            >
              Commit{landing.length > 0 ? ` ${landing.length}` : ''}
            </button>
          </div>
        </>
      )}
      {asks && <CommitQuestion landing={landing} merge={asks === 'merge'} close={() => setAsks(undefined)} run={run} />}
    </footer>
  )
}

function CommitQuestion({
  landing,
  merge,
  close,
  run,
}: {
  landing: readonly WireChange[]
  merge: boolean
  close: () => void
  run: (merge: boolean) => Promise<void>
}) {
  const sum = (side: 0 | 1) => landing.reduce((total, change) => total + change.landing[side], 0)
  return (
    <Ask
      title={merge ? 'Merge what changed on disk?' : `Commit ${pluralize(landing.length, 'file')}?`}
      yes={merge ? 'Merge' : 'Commit'}
      close={close}
      confirm={() => void run(merge)}
    >
      {merge && <p>Each file that changed on disk is merged in the stage and waits for your verdict there.</p>}
      {landing.length > 0 && (
        <>
          <p>
            {merge ? `What is approved lands on disk: ${pluralize(landing.length, 'file')}, ` : 'This lands on disk: '}
            <Lines added={sum(0)} removed={sum(1)} /> lines
          </p>
          <Landing changes={landing} />
        </>
      )}
    </Ask>
  )
}

function Meter({ counts: { all, approved, rejected } }: { counts: ReturnType<typeof countHunks> }) {
  const share = (count: number) => `${all === 0 ? 0 : (count / all) * 100}%`
  return (
    <div class="meter">
      <span>
        {approved} of {pluralize(all, 'hunk')} approved · {rejected} rejected · {all - approved - rejected} open
      </span>
      <span class="track" aria-hidden="true">
        <i class="approved" style={{ width: share(approved) }} />
        <i class="rejected" style={{ width: share(rejected) }} />
      </span>
    </div>
  )
}
