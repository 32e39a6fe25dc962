import type { RefObject } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { Layout, WireChange, WireFile, WireSelection, WireWord } from '../../src/web/wire.js'
import { get, imageAddress, post } from './api.js'
import type { Told } from './app.js'
import { Ask } from './ask.js'
import { Conflict } from './conflict.js'
import { Diff, type DiffKeys } from './diff.js'
import { Editor } from './editor.js'
import { FileHead } from './file-head.js'
import { useMatches } from './matches.js'
import type { Rejecting } from './review.js'
import { Empty, wordsOf } from './shared.js'

/** What the keys of the review do in the file that is open. */
export interface FileKeys {
  /** False where there is no further hunk: on to the next file. */
  move(by: number): boolean
  /** On to the next hunk that is undecided; false where there is none. */
  next(): boolean
  decide(verdict: WireWord, whole: boolean): void
  split(): void
  edit(): void
  discard(): void
  /** False where what the keys are at has no verdict. */
  takeBack(): boolean
  layout(): void
  wrap(): void
  fold(): void
  /** Shows more unchanged lines around the hunk. */
  expand(): void
  /** On to another match of the search; false where the file has no further one. */
  match(by: number): boolean
}

interface Props extends Told {
  readonly session: string
  readonly change: WireChange
  /** Rises where the file is to be looked at again though it is the same. */
  readonly epoch: number
  readonly position: string
  readonly keys: RefObject<FileKeys | null>
  readonly find: string
  readonly viewed: boolean
  readonly setViewed: (viewed: boolean) => void
  readonly reload: () => Promise<void>
  readonly give: (word: 'approved' | 'withdrawn', selection: WireSelection) => void
  readonly reject: (rejecting: Rejecting) => void
  readonly leave: () => void
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
  say,
  reload,
  give,
  reject,
  leave,
}: Props) {
  const { path, mark, hunks } = change
  const { file, error } = useFile(session, change, epoch)
  const [layout, setLayout] = useChoice<Layout>('layout', 'unified', 'split')
  const [wrap, setWrap] = useChoice<'on' | 'off'>('wrap', 'on', 'off')
  const [folded, setFolded] = useState(false)
  const [at, setAt] = useState(0)
  const [leaving, setLeaving] = useState(false)
  const [editing, setEditing] = useState(false)
  const wide = useWide()
  const used: Layout = wide ? layout : 'unified'
  const whole: WireSelection = { changes: [{ path, mark }] }
  const hunk = file?.hunks[at]
  const diff = useRef<DiffKeys>(null)
  const matches = useMatches(session, change, used, find, (row) => diff.current?.show(row))

  const decide = useCallback(
    (verdict: WireWord, selection: WireSelection, what: string) =>
      verdict === 'rejected' ? reject({ what, selection }) : give(verdict, selection),
    [give, reject],
  )
  const decideHunk = (verdict: WireWord, id: string) =>
    decide(verdict, { hunks: { path, ids: [id] } }, `a hunk of ${path}`)

  const divide = async (id: string) => {
    try {
      await post(`sessions/${encodeURIComponent(session)}/split`, { path, hunk: id })
    } catch (failed) {
      say(wordsOf(failed), 'bad')
    }
    await reload()
  }
  const discard = async () => {
    setLeaving(false)
    try {
      await post(`sessions/${encodeURIComponent(session)}/discard`, { selection: whole })
      say('Discarded. The disk stays as it is.')
    } catch (failed) {
      say(wordsOf(failed), 'bad')
    }
    await reload()
  }

  const own: FileKeys = {
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
      if (all || hunk === undefined || hunks[0] < 2) decide(verdict, whole, path)
      else decideHunk(verdict, hunk.id)
    },
    split() {
      if (hunk?.divisible) void divide(hunk.id)
      else say('This hunk has no unchanged line to split at.', 'bad')
    },
    edit() {
      if (file?.editable) setEditing(true)
      else say('This file cannot be edited here.', 'bad')
    },
    discard: () => setLeaving(true),
    takeBack() {
      if ((hunks[0] > 1 ? hunk?.state : change.state) === 'pending' || file === undefined) return false
      own.decide('withdrawn', false)
      return true
    },
    layout() {
      if (wide) setLayout(layout === 'split' ? 'unified' : 'split')
      else say('This window is too narrow for two sides.', 'bad')
    },
    wrap: () => setWrap(wrap === 'on' ? 'off' : 'on'),
    fold: () => setFolded(!folded),
    expand: () => diff.current?.expand(),
    match: (by) => matches.go(by),
  }
  useLayoutEffect(() => {
    keys.current = own
    return () => {
      if (keys.current === own) keys.current = null
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
        discard={() => setLeaving(true)}
        decide={(word) => decide(word, whole, path)}
        leave={leave}
      />
      {leaving && (
        <Ask
          title={`Discard ${path}?`}
          yes="Discard"
          kind="bad"
          close={() => setLeaving(false)}
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
          say={say}
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
          say={say}
          reload={reload}
          edit={() => setEditing(true)}
        />
      )}
      {folded && !editing && (
        <p class="note">
          This file is folded.{' '}
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
          layout={used}
          wrap={wrap === 'on'}
          find={find}
          match={matches.row}
          keys={diff}
          say={say}
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

/** The head of the file as it is shown now; its rows come by pages. */
function useFile(session: string, { path, mark, state, look }: WireChange, epoch: number) {
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
      (reason: unknown) => !stale && setError(wordsOf(reason)),
    )
    return () => {
      stale = true
    }
  }, [session, path, mark, state, look, epoch])
  return { file, error }
}

function useWide(): boolean {
  const [wide, setWide] = useState(() => matchMedia('(min-width: 40rem)').matches)
  useEffect(() => {
    const query = matchMedia('(min-width: 40rem)')
    const look = () => setWide(query.matches)
    query.addEventListener('change', look)
    return () => query.removeEventListener('change', look)
  }, [])
  return wide
}

/** One of two ways, as it was last chosen in this browser. */
export function useChoice<T extends string>(name: string, usual: T, other: T): [T, (choice: T) => void] {
  const [choice, setChoice] = useState<T>(() => (localStorage.getItem(name) === other ? other : usual))
  return [
    choice,
    (next) => {
      localStorage.setItem(name, next)
      setChoice(next)
    },
  ]
}
