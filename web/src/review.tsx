import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { WireChange, WireDecided, WireLeft, WireSelection, WireState, WireWord } from '../../src/web/wire.js'
import { post, RequestError } from './api.js'
import type { Notifier, Versions } from './app.js'
import { Ask } from './ask.js'
import {
  type Filter,
  isListed,
  type ListOrder,
  listedGroups,
  NEXT_ORDER,
  useChanges,
  useSearch,
  useViewed,
} from './changes.js'
import { Checklist, focusChecklist, useChecklist } from './checklist.js'
import { type CheckKeys, Checks } from './checks.js'
import { CommitBar, type CommitKeys } from './commit-bar.js'
import { FileList } from './file-list.js'
import { type FileKeys, FileView, useChoice } from './file-view.js'
import { Finder } from './finder.js'
import { actionOf, keyOf, type ReviewAction } from './keys.js'
import { answerByKey, Questions } from './questions.js'
import { Reject } from './reject.js'
import { goTo, type Route } from './route.js'
import { SessionPicker, UnknownSession } from './sessions.js'
import { describeError, Empty, pluralize } from './shared.js'
import { countHunks, Risks } from './summary.js'

interface Props extends Notifier {
  readonly route: Extract<Route, { at: 'review' }>
  readonly state: WireState
  readonly versions: Versions
}

/** A rejection without a reason yet. */
export interface PendingRejection {
  readonly what: string
  readonly selection: WireSelection
}

export function Review({ route, state, versions, notify }: Props) {
  const first = state.sessions.find(({ changes, questions }) => changes + questions.length > 0) ?? state.sessions[0]
  const session =
    state.sessions.find(({ id }) => id === route.session) ?? (route.session === undefined ? first : undefined)
  const [order, setOrder] = useChoice<ListOrder>('order', 'step', 'file', 'risk')
  const { shown, error, reload, put } = useChanges(session?.id, versions, order)
  /** True if the last decision came from a key, which then moves to the next hunk. */
  const byKey = useRef(false)
  const [rejecting, setRejecting] = useState<PendingRejection>()
  const [left, setLeft] = useState<readonly WireLeft[]>([])
  const keys = useRef<FileKeys>(null)
  const commitKeys = useRef<CommitKeys>(null)
  const checkKeys = useRef<CheckKeys>(null)
  const [asksAll, setAsksAll] = useState(false)
  /** The selections that withdraw the last verdict. */
  const last = useRef<{ readonly undo: readonly WireSelection[]; readonly bulk: boolean }>(undefined)
  /** The path of the open file, which stays open when the list changes. */
  const sticky = useRef<string>(undefined)
  const [hidesList, setHidesList] = useState(false)
  const [find, setFind] = useState('')
  const finder = useRef<HTMLInputElement>(null)
  const found = useSearch(session?.id, find, shown?.digest)
  const [filter, setFilter] = useState<Filter>('all')
  const [viewed, setViewed] = useViewed(session?.id)
  /** The open file stays in the list, even if the filter no longer includes it. */
  const keptPath = route.path ?? sticky.current
  const listed = useMemo(() => {
    const isWanted = (change: WireChange) =>
      (found === undefined || found.has(change.path)) && (change.path === keptPath || isListed(filter, change, viewed))
    return shown && { ...shown, groups: listedGroups(shown.groups, order, isWanted) }
  }, [shown, order, found, filter, viewed, keptPath])
  const files = useMemo(() => listed?.groups.flatMap(({ changes }) => changes) ?? [], [listed])
  const everything = useMemo(() => shown?.groups.flatMap(({ changes }) => changes) ?? [], [shown])
  const chosen = (path: string | undefined) => everything.find((each) => each.path === path)
  const opensFirst = route.path === undefined && matchMedia('(min-width: 48rem)').matches
  const change = chosen(route.path) ?? (opensFirst ? (chosen(sticky.current) ?? files[0]) : undefined)
  useEffect(() => {
    sticky.current = change?.path
  }, [change?.path])
  const id = session?.id
  /** Every change that this page has shown, so that it can tell a removed one from one that never was. */
  const known = useRef(new Set<string>())
  useEffect(() => {
    for (const { path } of everything) known.current.add(`${id} ${path}`)
  }, [everything])
  useEffect(() => setLeft([]), [id])

  const checklist = useChecklist(id, shown, notify)
  const open = useCallback(
    (next: WireChange | undefined) => id !== undefined && next && goTo({ at: 'review', session: id, path: next.path }),
    [id],
  )
  const step = (by: number) => {
    const next = files[Math.max(0, Math.min(files.length - 1, (change ? files.indexOf(change) : -1) + by))]
    if (next !== change) open(next)
  }
  /** Resolves to true if a verdict was recorded. Otherwise the cursor does not move. */
  const decide = async (verdict: WireWord, selection: WireSelection, reason?: string): Promise<boolean> => {
    const movesOn = byKey.current
    byKey.current = false
    let isRecorded = false
    try {
      const { paths, hunks, left, undo } = await post<WireDecided>(
        `sessions/${encodeURIComponent(id ?? '')}/verdicts`,
        {
          verdict,
          selection,
          ...(reason !== undefined && { reason }),
        },
      )
      // The next file opens before the message, because messages end with the view.
      if (paths.length > 0 && movesOn && verdict !== 'withdrawn' && keys.current?.next() === false) step(1)
      const amount = hunks > 0 ? pluralize(hunks, 'hunk') : pluralize(paths.length, 'change')
      isRecorded = paths.length > 0
      const bulk = selection.all !== undefined || (selection.changes?.length ?? 0) > 1
      if (isRecorded && verdict !== 'withdrawn') last.current = { undo, bulk }
      if (isRecorded) notify(`${amount} ${verdict}.`, 'good', bulk ? () => void undoLast() : undefined)
      else notify('Nothing was recorded: there is nothing left to decide.', 'bad')
      setLeft(left)
      if (selection.changes !== undefined) put(paths, verdict === 'withdrawn' ? 'pending' : verdict)
    } catch (failed) {
      notify(describeError(failed), 'bad')
      if (!(failed instanceof RequestError)) throw failed
    }
    void reload()
    return isRecorded
  }
  const undoLast = async () => {
    const undo = last.current?.undo ?? []
    last.current = undefined
    if (undo.length === 0) return notify('There is no verdict to take back.', 'bad')
    for (const selection of undo) if (!(await decide('withdrawn', selection))) return
    notify('The last verdict was taken back.')
  }
  /** True if the list is complete. Then an approval of everything names the digest of the change set. */
  const isWhole = found === undefined && filter === 'all'
  const approvable = useMemo(
    () =>
      files.filter(
        ({ state, flags, hunks: [, , rejected] }) =>
          state === 'pending' &&
          !flags.includes('drifted') &&
          !flags.includes('conflict') &&
          (isWhole || rejected === 0),
      ),
    [files, isWhole],
  )
  const approveAll = () => {
    if (approvable.length > 0) return setAsksAll(true)
    const conflict = files.find(({ state, flags }) => state === 'pending' && flags.includes('conflict'))
    if (conflict === undefined) notify('There is nothing left to approve.', 'bad')
    else notify(`${conflict.path} has a conflict. Open it and resolve the conflict first, then approve it.`, 'bad')
  }

  // Before the paint: a key must mean what the screen shows.
  useLayoutEffect(() => {
    const key = (event: KeyboardEvent) => {
      const action = actionOf(event)
      if (action === undefined) return
      const handlers: Partial<Record<ReviewAction, () => void>> = {
        next: () => keys.current?.move(1) || step(1),
        previous: () => keys.current?.move(-1) || step(-1),
        nextFile: () => step(1),
        previousFile: () => step(-1),
        first: () => step(-files.length),
        last: () => step(files.length),
        approve: () => answerByKey('allow', true) || keys.current?.decide('approved', false),
        reject: () => answerByKey('deny', true) || keys.current?.decide('rejected', false),
        once: () => answerByKey('once', false),
        subtree: () => answerByKey('subtree', false),
        remember: () => answerByKey('remember', false),
        approveFile: () => keys.current?.decide('approved', true),
        rejectFile: () => keys.current?.decide('rejected', true),
        undo: () => {
          if (last.current?.bulk || keys.current?.takeBack() !== true) void undoLast()
        },
        split: () => keys.current?.split(),
        edit: () => keys.current?.edit(),
        discard: () => keys.current?.discard(),
        fold: () => keys.current?.fold(),
        expand: () => keys.current?.expand(),
        wrap: () => keys.current?.wrap(),
        view: () => setOrder(NEXT_ORDER[order]),
        list: () => setHidesList(!hidesList),
        search() {
          setHidesList(false)
          finder.current?.select()
        },
        sides: () => keys.current?.layout(),
        approveAll,
        commit: () => commitKeys.current?.commit(),
        check: () => checkKeys.current?.run(),
        checklist: () => void (focusChecklist() || notify('No acceptance sentence applies to these changes.', 'bad')),
        merge: () => commitKeys.current?.merge(),
        undoCommit: () => commitKeys.current?.undo(),
      }
      const act = handlers[action]
      if (act === undefined) return
      event.preventDefault()
      byKey.current = action === 'approve' || action === 'reject' || action === 'approveFile' || action === 'rejectFile'
      act()
    }
    addEventListener('keydown', key)
    return () => removeEventListener('keydown', key)
  })

  if (state.sessions.length === 0)
    return (
      <Empty title="No agent has worked here yet.">
        <p>
          Start one with <code>escrow start</code>, or connect a client with <code>escrow mcp</code>. What it writes
          waits here for you.
        </p>
      </Empty>
    )
  if (session === undefined && route.session !== undefined)
    return <UnknownSession key={route.session} id={route.session} />
  return (
    <div class={`review ${route.path === undefined ? 'on-list' : 'on-file'}${hidesList ? ' no-list' : ''}`}>
      <section class="side" aria-label="Changes of the session">
        <SessionPicker sessions={state.sessions} chosen={id} />
        {session && <Questions session={session} notify={notify} />}
        {session?.quarantined ? (
          <p class="note">
            {pluralize(session.quarantined, 'change')} of commands {session.quarantined === 1 ? 'was' : 'were'} refused
            and {session.quarantined === 1 ? 'waits' : 'wait'} in quarantine:{' '}
            <code>escrow quarantine {session.id}</code>
          </p>
        ) : null}
        {session?.damaged !== undefined && <p class="note bad">{session.damaged}</p>}
        {error !== undefined && (
          <p class="note bad" role="alert">
            {error}
          </p>
        )}
        {listed && (
          <Finder
            field={finder}
            find={find}
            setFind={setFind}
            enter={(by) => keys.current?.match(by) === true || step(by)}
            filter={filter}
            setFilter={setFilter}
            order={order}
            setOrder={setOrder}
          />
        )}
        {listed && everything.length > 0 && files.length === 0 && (
          <p class="note">
            {found === undefined ? 'The filter lists no file.' : 'No file name and no diff has this text.'}
          </p>
        )}
        {listed && (
          <FileList
            shown={listed}
            order={order}
            chosen={change?.path}
            open={open}
            intents={state.intents}
            viewed={viewed}
          />
        )}
        {shown && id !== undefined && <Checks session={id} shown={shown} notify={notify} keys={checkKeys} />}
        {shown && id !== undefined && <Checklist {...checklist} />}
        {shown && id !== undefined && (
          <CommitBar
            session={id}
            shown={shown}
            notify={notify}
            reload={reload}
            approveAll={approveAll}
            onCommit={() => {
              last.current = undefined
            }}
            keys={commitKeys}
            unticked={checklist.sentences.filter(({ ticked }) => !ticked)}
            left={left}
            setLeft={setLeft}
          />
        )}
      </section>
      <section class="content" aria-label="The change">
        {change && id !== undefined ? (
          <FileView
            key={`${id} ${change.path}`}
            session={id}
            change={change}
            epoch={versions.all}
            position={`${files.indexOf(change) + 1} of ${files.length}`}
            keys={keys}
            find={find.toLowerCase()}
            viewed={viewed.has(change.mark)}
            setViewed={(is) => setViewed(change.mark, is)}
            notify={notify}
            reload={reload}
            recordVerdict={(word, selection) => void decide(word, selection)}
            reject={setRejecting}
            step={step}
            leave={() => id !== undefined && goTo({ at: 'review', session: id })}
          />
        ) : (
          shown && (
            <NoFileOpen
              path={route.path}
              wasStaged={known.current.has(`${id} ${route.path}`)}
              isEmpty={everything.length === 0}
              back={() => id !== undefined && goTo({ at: 'review', session: id })}
            />
          )
        )}
      </section>
      {rejecting && (
        <Reject
          what={rejecting.what}
          close={() => setRejecting(undefined)}
          reject={(reason) => decide('rejected', rejecting.selection, reason)}
        />
      )}
      {asksAll && shown && (
        <Ask
          title={`Approve ${pluralize(approvable.length, 'file')}?`}
          yes="Approve all"
          close={() => setAsksAll(false)}
          confirm={() => {
            setAsksAll(false)
            // With a search or filter, approve only the listed files.
            const changes = approvable.map(({ path, mark }) => ({ path, mark }))
            void decide('approved', isWhole ? { all: shown.digest } : { changes })
          }}
        >
          <p>{describeApproval(approvable)} Nothing goes to disk before you commit.</p>
          <Risks groups={shown.groups} changes={approvable} />
        </Ask>
      )}
    </div>
  )
}

/** Shown in place of a removed file. No other file opens by itself, because a key could decide on unseen content. */
function NoFileOpen({
  path,
  wasStaged,
  isEmpty,
  back,
}: {
  path: string | undefined
  wasStaged: boolean
  isEmpty: boolean
  back: () => void
}) {
  const missing = wasStaged ? `${path} is no longer staged.` : `No change of ${path} is staged.`
  return (
    <Empty title={isEmpty ? 'Nothing is staged.' : path === undefined ? 'Choose a change.' : missing}>
      {isEmpty && <p>Changes that the agent makes appear here by themselves.</p>}
      {path !== undefined && !isEmpty && (
        <p>
          {wasStaged && 'It was committed, discarded, or reverted by the agent. '}Press <kbd>{keyOf('nextFile')}</kbd>{' '}
          for the next file.
        </p>
      )}
      {path !== undefined && (
        <button type="button" class="back-button" onClick={back}>
          Back to the list
        </button>
      )}
    </Empty>
  )
}

/** Describes an approval of everything in hunks and files. */
function describeApproval(changes: readonly WireChange[]): string {
  const { all, approved, rejected } = countHunks(changes)
  return `${pluralize(all - approved - rejected, 'undecided hunk')} in ${pluralize(changes.length, 'file')}.`
}
