import { useRef, useState } from 'preact/hooks'
import type { WireChanges, WireCommit, WireLeft } from '../../src/web/wire.js'
import { commit, post, Refused } from './api.js'
import type { Told } from './app.js'
import { LeftOut } from './left-out.js'
import { pluralize, wordsOf } from './shared.js'

interface Props extends Told {
  readonly session: string
  readonly shown: WireChanges
  readonly renew: () => void
  readonly approveAll: () => void
  /** What the last approval or commit left out. */
  readonly left: readonly WireLeft[]
  readonly setLeft: (left: readonly WireLeft[]) => void
}

const PHASES: Readonly<Record<string, string>> = {
  checking: 'Checking',
  staging: 'Writing',
  applying: 'Putting in place',
}

/** How much is decided, and the way to the disk. */
export function CommitBar({ session, shown, say, renew, approveAll, left, setLeft }: Props) {
  const [progress, setProgress] = useState<Extract<WireCommit, { phase: string }>>()
  const [done, setDone] = useState<{ id: string; count: number }>()
  const calling = useRef<AbortController>(null)
  const files = shown.groups.flatMap(({ changes }) => changes)
  const landing = files.filter(({ state, hunks: [, approved] }) => state === 'approved' || approved > 0).length
  const rejected = files.filter(({ state }) => state === 'rejected').length
  const drifted = files.some(({ flags }) => flags.includes('drifted'))
  const run = async (merge: boolean) => {
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
            ? 'Nothing is approved, so nothing was committed.'
            : `${pluralize(committed.length, 'change')} on disk now.`,
        )
        for (const { path, reason } of conflicts) say(`${path}: ${reason}`, 'bad')
        for (const warning of warnings) say(warning, 'bad')
        setLeft(out)
      })
    } catch (error) {
      say(calling.current.signal.aborted ? 'Called off.' : wordsOf(error), 'bad')
    }
    setProgress(undefined)
    renew()
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
          <Meter all={files.length} approved={landing} rejected={rejected} />
          <div class="actions">
            {drifted && (
              <button
                type="button"
                title="Take what changed on disk meanwhile into the stage"
                onClick={() => void run(true)}
              >
                Merge what moved
              </button>
            )}
            <button
              type="button"
              disabled={files.length === 0}
              title="Approve all that is shown (a)"
              onClick={approveAll}
            >
              Approve all
            </button>
            <button
              type="button"
              id="commit"
              class="main"
              disabled={landing === 0}
              title="Put what is approved on disk (c)"
              onClick={() => void run(false)}
            >
              Commit{landing > 0 ? ` ${landing}` : ''}
            </button>
          </div>
        </>
      )}
    </footer>
  )
}

function Meter({ all, approved, rejected }: { all: number; approved: number; rejected: number }) {
  const share = (count: number) => `${all === 0 ? 0 : (count / all) * 100}%`
  return (
    <div class="meter">
      <span>
        {approved} approved · {rejected} rejected · {Math.max(0, all - approved - rejected)} open
      </span>
      <span class="track" aria-hidden="true">
        <i class="approved" style={{ width: share(approved) }} />
        <i class="rejected" style={{ width: share(rejected) }} />
      </span>
    </div>
  )
}
