import type { Ref } from 'preact'
import { useImperativeHandle, useRef, useState } from 'preact/hooks'
import type { WireChange, WireChanges, WireCommit, WireLeft, WireSentence } from '../../src/web/wire.js'
import { commit, post, RequestError } from './api.js'
import type { Notifier } from './app.js'
import { Ask } from './ask.js'
import { Unticked } from './checklist.js'
import { keyOf } from './keys.js'
import { LeftOut } from './left-out.js'
import { goTo } from './route.js'
import { describeError, pluralize } from './shared.js'
import { CommitFiles, countHunks, Lines, Paths, selectApproved } from './summary.js'

/** Actions of the commit bar for keys. */
export interface CommitKeys {
  commit(): void
  merge(): void
  undo(): void
}

interface Props extends Notifier {
  readonly session: string
  readonly shown: WireChanges
  readonly reload: () => Promise<void>
  readonly approveAll: () => void
  /** The changes that the last approval or commit left out. */
  readonly left: readonly WireLeft[]
  readonly setLeft: (left: readonly WireLeft[]) => void
  /** Called after a commit: verdicts given before it cannot be taken back. */
  readonly onCommit: () => void
  readonly keys: Ref<CommitKeys>
  /** The acceptance sentences without a tick. */
  readonly unticked: readonly WireSentence[]
}

type Sentences = readonly Pick<WireSentence, 'intentId' | 'criterion'>[]

const PHASES: Readonly<Record<string, string>> = {
  checking: 'Checking',
  staging: 'Writing',
  applying: 'Replacing files',
}

/** Counts the verdicts, and commits. */
export function CommitBar({
  session,
  shown,
  notify,
  reload,
  approveAll,
  left,
  setLeft,
  onCommit,
  keys,
  unticked,
}: Props) {
  const [progress, setProgress] = useState<Extract<WireCommit, { phase: string }>>()
  const [lastCommit, setLastCommit] = useState<{ id: string; count: number; unticked: Sentences }>()
  const controller = useRef<AbortController>(null)
  const files = shown.groups.flatMap(({ changes }) => changes)
  const approvedFiles = selectApproved(files)
  const [openQuestion, setOpenQuestion] = useState<'commit' | 'merge'>()
  const drifted = files.filter(({ flags }) => flags.includes('drifted'))
  const hasDrifted = drifted.length > 0
  // A merge includes the approved files. If none is approved, it includes every file that is not rejected.
  const merging = drifted.filter((change) =>
    approvedFiles.length > 0 ? approvedFiles.includes(change) : change.state !== 'rejected',
  )
  const ask = (what: 'commit' | 'merge') => {
    if (progress !== undefined) return notify('A commit is under way.', 'bad')
    if (what === 'commit' && approvedFiles.length === 0)
      return notify('Nothing is approved, so there is nothing to commit.', 'bad')
    if (what === 'merge' && !hasDrifted)
      return notify('No staged file was changed on disk since the agent read it.', 'bad')
    if (what === 'merge' && merging.length === 0)
      return notify(
        `None of the approved files was changed on disk. Commit the approved files first (${keyOf('commit')}), then merge the others.`,
        'bad',
      )
    setOpenQuestion(what)
  }
  useImperativeHandle(keys, () => ({
    commit: () => ask('commit'),
    merge: () => ask('merge'),
    undo: () =>
      lastCommit === undefined
        ? notify('No commit was made here that could be undone.', 'bad')
        : void undo(lastCommit.id),
  }))
  const run = async (merge: boolean) => {
    setOpenQuestion(undefined)
    controller.current = new AbortController()
    setProgress({ phase: 'checking', files: 0, total: 0 })
    try {
      await commit(session, { ...(merge && { merge }) }, controller.current.signal, (line) => {
        if ('phase' in line) return setProgress(line)
        if ('failed' in line) return notify(describeRefusal(new RequestError(409, line.failed)), 'bad')
        const { id, committed: paths, conflicts, warnings, git, left: out, unticked: missed = [] } = line.done
        if (id !== '') {
          setLastCommit({ id, count: paths.length, unticked: missed })
          onCommit()
        }
        notify(
          id === ''
            ? merge
              ? 'Merged in the stage. Nothing was written to disk.'
              : 'Nothing was committed.'
            : `${pluralize(paths.length, 'change')} on disk now.${gitSentence(git)}`,
          id === '' && !merge ? 'bad' : 'good',
        )
        const problems = [...conflicts.map(({ path, reason }) => `${path}: ${reason}`), ...warnings]
        if (problems.length > 0) notify(problems.join('\n'), 'bad')
        setLeft(out)
      })
    } catch (error) {
      notify(controller.current.signal.aborted ? 'The commit was cancelled.' : describeError(error), 'bad')
    }
    setProgress(undefined)
    await reload()
  }
  const undo = async (id: string) => {
    try {
      const { session: undoSession } = await post<{ session: string }>('undo', { commit: id })
      setLastCommit(undefined)
      goTo({ at: 'review', session: undoSession })
      notify(`The inverse is staged in session ${undoSession}: review it there.`)
    } catch (error) {
      notify(describeError(error), 'bad')
    }
  }
  return (
    <footer class="commit" aria-label="Commit">
      <LeftOut left={left} close={() => setLeft([])} />
      {lastCommit && <Unticked sentences={lastCommit.unticked} />}
      {lastCommit && (
        <p class="done">
          {pluralize(lastCommit.count, 'change')} committed.{' '}
          <button
            type="button"
            class="link"
            title={`Stage the inverse of this commit (${keyOf('undoCommit')})`}
            onClick={() => void undo(lastCommit.id)}
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
          <button type="button" onClick={() => controller.current?.abort()}>
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
              disabled={approvedFiles.length === 0}
              title={`Write the approved changes to disk (${keyOf('commit')})`}
              onClick={() => ask('commit')}
            >
              Commit{approvedFiles.length > 0 ? ` ${approvedFiles.length}` : ''}
            </button>
          </div>
        </>
      )}
      {openQuestion === 'commit' && (
        <CommitQuestion
          approvedFiles={approvedFiles}
          unticked={unticked}
          close={() => setOpenQuestion(undefined)}
          run={() => void run(false)}
        />
      )}
      {openQuestion === 'merge' && (
        <MergeQuestion
          merging={merging}
          approvedFiles={approvedFiles.filter((change) => !merging.includes(change))}
          unticked={unticked}
          close={() => setOpenQuestion(undefined)}
          run={() => void run(true)}
        />
      )}
    </footer>
  )
}

interface Question {
  readonly approvedFiles: readonly WireChange[]
  readonly unticked: Sentences
  readonly close: () => void
  readonly run: () => void
}

function gitSentence(git: { readonly ref: string; readonly commits: readonly string[] } | undefined): string {
  const last = git?.commits.at(-1)
  if (git === undefined || last === undefined) return ''
  return ` Git commit ${last.slice(0, 10)} on ${git.ref.replace(/^refs\/heads\//, '')}.`
}

/** A refusal names the key for what the page can do itself. */
function describeRefusal(error: RequestError): string {
  if (error.failure.reason !== 'unticked') return describeError(error)
  return `${error.failure.message} ${keyOf('checklist')} goes to the checklist.`
}

function CommitQuestion({ approvedFiles, unticked, close, run }: Question) {
  return (
    <Ask title={`Commit ${pluralize(approvedFiles.length, 'file')}?`} yes="Commit" close={close} confirm={run}>
      <DiskSummary approvedFiles={approvedFiles} />
      <Unticked sentences={unticked} />
    </Ask>
  )
}

function MergeQuestion({
  merging,
  approvedFiles,
  unticked,
  close,
  run,
}: Question & { readonly merging: readonly WireChange[] }) {
  return (
    <Ask title="Merge what changed on disk?" yes="Merge" close={close} confirm={run}>
      <p>
        {merging.length === 1 ? 'This file is' : 'These files are'} merged in the stage, and then{' '}
        {merging.length === 1 ? 'waits' : 'wait'} for your verdict:
      </p>
      <Paths changes={merging} />
      {approvedFiles.length > 0 && <DiskSummary approvedFiles={approvedFiles} />}
      {approvedFiles.length > 0 && <Unticked sentences={unticked} />}
    </Ask>
  )
}

function DiskSummary({ approvedFiles }: { approvedFiles: readonly WireChange[] }) {
  const sum = (side: 0 | 1) => approvedFiles.reduce((total, change) => total + change.landing[side], 0)
  return (
    <>
      <p>
        Written to disk: {pluralize(approvedFiles.length, 'file')}, <Lines added={sum(0)} removed={sum(1)} /> lines
      </p>
      <CommitFiles changes={approvedFiles} />
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
