import type { RefObject } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Layout, WireChange, WireFile, WireSelection, WireWord } from '../../src/web/wire.js'
import { get, imageAddress, post } from './api.js'
import type { Notifier } from './app.js'
import { Ask } from './ask.js'
import { Conflict } from './conflict.js'
import { Diff, type DiffKeys } from './diff.js'
import { Editor } from './editor.js'
import { FileHead } from './file-head.js'
import { keyOf } from './keys.js'
import { useMatches } from './matches.js'
import type { PendingRejection } from './review.js'
import { describeError, Empty } from './shared.js'

/** Actions of the open file for keys. */
export interface FileKeys {
  /** Moves to another hunk. False if there is none. */
  move(by: number): boolean
  /** Moves to the next undecided hunk. False if there is none. */
  next(): boolean
  decide(verdict: WireWord, whole: boolean): void
  split(): void
  edit(): void
  discard(): void
  /** Withdraws the verdict at the cursor. False if there is none. */
  takeBack(): boolean
  layout(): void
  wrap(): void
  fold(): void
  /** Shows more unchanged lines around the hunk. */
  expand(): void
  /** Moves to another match of the search. False if the file has none. */
  match(by: number): boolean
}

interface Props extends Notifier {
  readonly session: string
  readonly change: WireChange
  /** Increases when the file must be loaded again although its mark is the same. */
  readonly epoch: number
  readonly position: string
  readonly keys: RefObject<FileKeys | null>
  readonly find: string
  readonly viewed: boolean
  readonly setViewed: (viewed: boolean) => void
  readonly reload: () => Promise<void>
  readonly recordVerdict: (word: 'approved' | 'withdrawn', selection: WireSelection) => void
  readonly reject: (rejecting: PendingRejection) => void
  readonly leave: () => void
  /** Opens the next (1) or previous (-1) file of the list. */
  readonly step: (by: number) => void
}

export function FileView({
  session,
  change,
  epoch,
  position,
  keys,
  find,
  viewed,
  setViewed,
  notify,
  reload,
  recordVerdict,
  reject,
  leave,
  step,
}: Props) {
  const { path, mark, hunks } = change
  const { file, error } = useFile(session, change, epoch)
  const [layout, setLayout] = useChoice<Layout>('layout', 'unified', 'split')
  const [wrap, setWrap] = useChoice<'on' | 'off'>('wrap', 'on', 'off')
  // A file that is open when its class becomes known stays open: somebody may be reading it.
  const [startsFolded] = useState(change.folded !== undefined)
  const [choice, setFolded] = useState<boolean>()
  const isFoldedByKind = choice === undefined && startsFolded && change.folded !== undefined && find === ''
  const folded = choice ?? isFoldedByKind
  const [at, setAt] = useState(0)
  const [asksToDiscard, setAsksToDiscard] = useState(false)
  const [editing, setEditing] = useState(false)
  const wide = useIsWide()
  const shownLayout: Layout = wide ? layout : 'unified'
  const whole: WireSelection = { changes: [{ path, mark }] }
  const hunk = file?.hunks[at]
  const diff = useRef<DiffKeys>(null)
  const matches = useMatches(session, change, shownLayout, find, (row) => diff.current?.show(row), step)

  const hasMarkers = file?.conflict === 'markers'
  const decide = useCallback(
    (verdict: WireWord, selection: WireSelection, what: string) => {
      if (verdict === 'rejected') reject({ what, selection })
      else if (verdict === 'approved' && hasMarkers)
        notify(`${path} has a conflict. Resolve it on this page first: choose lines, then save them.`, 'bad')
      else recordVerdict(verdict, selection)
    },
    [recordVerdict, reject, hasMarkers],
  )
  const decideHunk = (verdict: WireWord, id: string) =>
    decide(verdict, { hunks: { path, ids: [id] } }, `a hunk of ${path}`)

  const divide = async (id: string) => {
    try {
      await post(`sessions/${encodeURIComponent(session)}/split`, { path, hunk: id })
    } catch (failed) {
      notify(describeError(failed), 'bad')
    }
    await reload()
  }
  const discard = async () => {
    setAsksToDiscard(false)
    try {
      await post(`sessions/${encodeURIComponent(session)}/discard`, { selection: whole })
      notify('Discarded. The disk stays as it is.')
    } catch (failed) {
      notify(describeError(failed), 'bad')
    }
    await reload()
  }

  const fileKeys: FileKeys = {
    move(by) {
      const next = at + by
      if (file === undefined || next < 0 || next >= file.hunks.length) return false
      setAt(next)
      return true
    },
    next() {
      const open = (file?.hunks ?? []).flatMap(({ state }, index) =>
        state === 'pending' && index !== at ? [index] : [],
      )
      const next = open.find((index) => index > at) ?? open[0]
      if (next !== undefined) setAt(next)
      return next !== undefined
    },
    decide(verdict, all) {
      if (isFoldedByKind && !all && verdict === 'approved')
        return notify(
          `This file is folded. ${keyOf('fold')} shows it, ${keyOf('approveFile')} approves it unread.`,
          'bad',
        )
      if (all || hunk === undefined || hunks[0] < 2) decide(verdict, whole, path)
      else decideHunk(verdict, hunk.id)
    },
    split() {
      if (hunk?.divisible) void divide(hunk.id)
      else notify('This hunk has no unchanged line to split at.', 'bad')
    },
    edit() {
      if (file?.editable) setEditing(true)
      else if (file !== undefined) notify('This file cannot be edited here.', 'bad')
    },
    discard: () => setAsksToDiscard(true),
    takeBack() {
      if ((hunks[0] > 1 ? hunk?.state : change.state) === 'pending' || file === undefined) return false
      fileKeys.decide('withdrawn', false)
      return true
    },
    layout() {
      if (wide) setLayout(layout === 'split' ? 'unified' : 'split')
      else notify('This window is too narrow for two sides.', 'bad')
    },
    wrap: () => setWrap(wrap === 'on' ? 'off' : 'on'),
    fold: () => setFolded(!folded),
    expand: () => diff.current?.expand(),
    match: (by) => matches.go(by),
  }
  useLayoutEffect(() => {
    keys.current = fileKeys
    return () => {
      if (keys.current === fileKeys) keys.current = null
    }
  })

  return (
    <article class="file-view" aria-label={path}>
      <FileHead
        change={change}
        position={position}
        layout={wide && file?.shows === 'text' && !editing ? layout : undefined}
        setLayout={setLayout}
        match={matches.words}
        viewed={viewed}
        setViewed={setViewed}
        edit={file?.editable && !editing ? () => setEditing(true) : undefined}
        discard={() => setAsksToDiscard(true)}
        decide={(word) => decide(word, whole, path)}
        leave={leave}
      />
      {asksToDiscard && (
        <Ask
          title={`Discard ${path}?`}
          yes="Discard"
          kind="bad"
          close={() => setAsksToDiscard(false)}
          confirm={() => void discard()}
        >
          <p>This removes what the agent staged in the whole file. The disk stays as it is.</p>
        </Ask>
      )}
      {error !== undefined && (
        <p class="note bad" role="alert">
          {error}
        </p>
      )}
      {file === undefined && error === undefined && <p class="loading">Loading…</p>}
      {file && editing && (
        <Editor
          session={session}
          path={path}
          mark={mark}
          line={hunk?.line ?? 1}
          notify={notify}
          close={() => setEditing(false)}
          reload={reload}
        />
      )}
      {file && !editing && file.conflict !== undefined && (
        <Conflict
          session={session}
          path={path}
          mark={mark}
          kind={file.conflict}
          notify={notify}
          reload={reload}
          edit={() => setEditing(true)}
        />
      )}
      {folded && !editing && (
        <p class="note">
          This file is folded{isFoldedByKind && `: ${change.folded}`}.{' '}
          <button type="button" class="link" onClick={() => setFolded(false)}>
            Unfold
          </button>
        </p>
      )}
      {file?.images && !editing && !folded && <Images session={session} change={change} images={file.images} />}
      {file && !editing && file.shows === 'nothing' && <Empty title={file.why ?? ''} />}
      {file && !editing && file.shows === 'text' && file.conflict !== 'markers' && !folded && (
        <Diff
          session={session}
          path={path}
          file={file}
          layout={shownLayout}
          wrap={wrap === 'on'}
          find={find}
          match={matches.row}
          keys={diff}
          notify={notify}
          at={at}
          setAt={setAt}
          decide={decideHunk}
          divide={(id) => void divide(id)}
        />
      )}
    </article>
  )
}

function Images({
  session,
  change,
  images,
}: {
  session: string
  change: WireChange
  images: { before: boolean; after: boolean }
}) {
  const sides = (['before', 'after'] as const).filter((side) => images[side])
  return (
    <div class="images">
      {sides.map((side) => (
        <figure key={side}>
          <figcaption>{side === 'before' ? 'Before' : 'After'}</figcaption>
          <img src={imageAddress(session, change.path, change.mark, side)} alt={`${change.path}, ${side}`} />
        </figure>
      ))}
    </div>
  )
}

/** Loads the file's header. Its rows are loaded by page. */
function useFile(session: string, { path, mark, state, look: update }: WireChange, epoch: number) {
  const [file, setFile] = useState<WireFile>()
  const [error, setError] = useState<string>()
  useEffect(() => {
    let stale = false
    get<WireFile>(`sessions/${encodeURIComponent(session)}/file`, { path, mark }).then(
      (value) => {
        if (stale) return
        setFile(value)
        setError(undefined)
      },
      (reason: unknown) => !stale && setError(describeError(reason)),
    )
    return () => {
      stale = true
    }
  }, [session, path, mark, state, update, epoch])
  return { file, error }
}

function useIsWide(): boolean {
  const [wide, setWide] = useState(() => matchMedia('(min-width: 40rem)').matches)
  useEffect(() => {
    const query = matchMedia('(min-width: 40rem)')
    const look = () => setWide(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  return wide
}

/** A choice between values, stored in this browser. */
export function useChoice<T extends string>(name: string, defaultChoice: T, ...others: T[]): [T, (choice: T) => void] {
  const [choice, setChoice] = useState<T>(
    () => others.find((other) => localStorage.getItem(name) === other) ?? defaultChoice,
  )
  return [
    choice,
    (next) => {
      localStorage.setItem(name, next)
      setChoice(next)
    },
  ]
}
