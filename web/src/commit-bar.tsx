import type { Ref } from 'preact'
import { useImperativeHandle, useRef, useState } from 'preact/hooks'
import type { WireChange, WireChanges, WireCommit, WireLeft } from '../../src/web/wire.js'
import { commit, post, Refused } from './api.js'
import type { Told } from './app.js'
import { Ask } from './ask.js'
import { keyOf } from './keys.js'
import { LeftOut } from './left-out.js'
import { pluralize, wordsOf } from './shared.js'
import { countHunks, Landing, Lines, landingOf, Paths } from './summary.js'

/** What the keys do in the commit bar. */
export interface CommitKeys {
  commit(): void
  merge(): void
  undo(): void
}

interface Props extends Told {
  readonly session: string
  readonly shown: WireChanges
  readonly reload: () => Promise<void>
  readonly approveAll: () => void
  /** What the last approval or commit left out. */
  readonly left: readonly WireLeft[]
  readonly setLeft: (left: readonly WireLeft[]) => void
  /** Called after a commit: verdicts given before it cannot be taken back. */
  readonly committed: () => void
  readonly keys: Ref<CommitKeys>
}

const PHASES: Readonly<Record<string, string>> = {
  checking: 'Checking',
  staging: 'Writing',
  applying: 'Replacing files',
}

/** Counts the verdicts, and commits. */
export function CommitBar({ session, shown, say, reload, approveAll, left, setLeft, committed, keys }: Props) {
  const [progress, setProgress] = useState<Extract<WireCommit, { phase: string }>>()
  const [done, setDone] = useState<{ id: string; count: number }>()
  const calling = useRef<AbortController>(null)
  const files = shown.groups.flatMap(({ changes }) => changes)
  const landing = landingOf(files)
  const [asks, setAsks] = useState<'commit' | 'merge'>()
  const drifted = files.filter(({ flags }) => flags.includes('drifted'))
  const hasDrifted = drifted.length > 0
  // A merge takes the approved files, or every file that nobody rejected where none is approved.
  const merging = drifted.filter((change) =>
    landing.length > 0 ? landing.includes(change) : change.state !== 'rejected',
  )
  const ask = (what: 'commit' | 'merge') => {
    if (progress !== undefined) return say('A commit is under way.', 'bad')
    if (what === 'commit' && landing.length === 0)
      return say('Nothing is approved, so there is nothing to commit.', 'bad')
    if (what === 'merge' && !hasDrifted)
      return say('No staged file was changed on disk since the agent read it.', 'bad')
    if (what === 'merge' && merging.length === 0)
      return say(
        `None of the approved files was changed on disk. Commit the approved files first (${keyOf('commit')}), then merge the others.`,
        'bad',
      )
    setAsks(what)
  }
  useImperativeHandle(keys, () => ({
    commit: () => ask('commit'),
    merge: () => ask('merge'),
    undo: () => (done === undefined ? say('No commit was made here that could be undone.', 'bad') : void undo(done.id)),
  }))
  const run = async (merge: boolean) => {
    setAsks(undefined)
    calling.current = new AbortController()
    setProgress({ phase: 'checking', files: 0, total: 0 })
    try {
      await commit(session, { ...(merge && { merge }) }, calling.current.signal, (line) => {
        if ('phase' in line) return setProgress(line)
        if ('failed' in line) return say(wordsOf(new Refused(409, line.failed)), 'bad')
        const { id, committed: paths, conflicts, warnings, left: out } = line.done
        if (id !== '') {
          setDone({ id, count: paths.length })
          committed()
        }
        say(
          id === ''
            ? merge
              ? 'Merged in the stage. Nothing was written to disk.'
              : 'Nothing was committed.'
            : `${pluralize(paths.length, 'change')} on disk now.`,
          id === '' && !merge ? 'bad' : 'good',
        )
        for (const { path, reason } of conflicts) say(`${path}: ${reason}`, 'bad')
        for (const warning of warnings) say(warning, 'bad')
        setLeft(out)
      })
    } catch (error) {
      say(calling.current.signal.aborted ? 'The commit was cancelled.' : wordsOf(error), 'bad')
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
          <button
            type="button"
            class="link"
            title={`Stage the inverse of this commit (${keyOf('undoCommit')})`}
            onClick={() => void undo(done.id)}
          >
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
            Cancel
          </button>
        </div>
      ) : (
        <>
          <Meter counts={countHunks(files)} />
          <div class="actions">
            {hasDrifted && (
              <button
                type="button"
                title={`Merge changes made on disk into the staged files (${keyOf('merge')})`}
                onClick={() => ask('merge')}
              >
                Merge disk changes
              </button>
            )}
            <button
              type="button"
              disabled={files.length === 0}
              title={`Approve every listed file (${keyOf('approveAll')})`}
              onClick={approveAll}
            >
              Approve all
            </button>
            <button
              type="button"
              id="commit"
              class="main"
              disabled={landing.length === 0}
              title={`Write the approved changes to disk (${keyOf('commit')})`}
              onClick={() => ask('commit')}
            >
              Commit{landing.length > 0 ? ` ${landing.length}` : ''}
            </button>
          </div>
        </>
      )}
      {asks === 'commit' && (
        <CommitQuestion landing={landing} close={() => setAsks(undefined)} run={() => void run(false)} />
      )}
      {asks === 'merge' && (
        <MergeQuestion
          merging={merging}
          landing={landing.filter((change) => !merging.includes(change))}
          close={() => setAsks(undefined)}
          run={() => void run(true)}
        />
      )}
    </footer>
  )
}

interface Question {
  readonly landing: readonly WireChange[]
  readonly close: () => void
  readonly run: () => void
}

function CommitQuestion({ landing, close, run }: Question) {
  return (
    <Ask title={`Commit ${pluralize(landing.length, 'file')}?`} yes="Commit" close={close} confirm={run}>
      <ToDisk landing={landing} />
    </Ask>
  )
}

function MergeQuestion({ merging, landing, close, run }: Question & { readonly merging: readonly WireChange[] }) {
  return (
    <Ask title="Merge what changed on disk?" yes="Merge" close={close} confirm={run}>
      <p>Merged in the stage, where {merging.length === 1 ? 'it waits' : 'they wait'} for your verdict:</p>
      <Paths changes={merging} />
      {landing.length > 0 && <ToDisk landing={landing} />}
    </Ask>
  )
}

function ToDisk({ landing }: { landing: readonly WireChange[] }) {
  const sum = (side: 0 | 1) => landing.reduce((total, change) => total + change.landing[side], 0)
  return (
    <>
      <p>
        Written to disk: {pluralize(landing.length, 'file')}, <Lines added={sum(0)} removed={sum(1)} /> lines
      </p>
      <Landing changes={landing} />
    </>
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
