import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { WireChange, WireChanges, WireIntent } from '../../src/web/wire.js'
import type { ListOrder } from './changes.js'
import { hrefOf } from './route.js'
import { Name, pluralize } from './shared.js'
import { directoriesAbove, treeRows } from './tree.js'
import { type RowStyle, type Scroller, VirtualList } from './virtual.js'

interface Props {
  readonly shown: WireChanges
  readonly order: ListOrder
  readonly chosen: string | undefined
  readonly intents: readonly WireIntent[]
  readonly viewed: ReadonlySet<string>
  readonly open: (change: WireChange) => void
}

type Row =
  | { readonly kind: 'group'; readonly title: string; readonly grave: boolean; readonly count: number }
  | { readonly kind: 'command'; readonly text: string }
  | ReturnType<typeof treeRows>[number]

/** Lists the changes by step in reading order, or as a tree of files. */
export function FileList({ shown, order, chosen, intents, viewed, open }: Props) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(
    () =>
      order === 'file'
        ? treeRows(
            shown.groups.flatMap(({ changes }) => changes),
            closed,
          )
        : shown.groups.flatMap(({ title, grave, commands, changes }): Row[] => [
            { kind: 'group', title: formatTitle(title, intents), grave, count: changes.length },
            ...commands.map((text): Row => ({ kind: 'command', text })),
            ...changes.map((change): Row => ({ kind: 'change', change, depth: 0 })),
          ]),
    [shown, order, closed, intents],
  )
  const scroller = useRef<Scroller>(null)
  const at = rows.findIndex((row) => row.kind === 'change' && row.change.path === chosen)
  useEffect(() => {
    if (at >= 0) scroller.current?.show(at)
  }, [at])
  // Open the directories above the open file.
  useEffect(() => {
    const above = chosen === undefined ? [] : directoriesAbove(chosen)
    if (above.some((path) => closed.has(path))) setClosed(without(closed, above))
  }, [chosen])
  const toggle = (path: string) => setClosed(closed.has(path) ? without(closed, [path]) : new Set([...closed, path]))
  const files = shown.groups.reduce((sum, { changes }) => sum + changes.length, 0)
  return (
    <VirtualList
      class="files"
      label={`${pluralize(files, 'change')}`}
      role="list"
      count={rows.length}
      height={30}
      scroller={scroller}
    >
      {(index, style) => {
        const row = rows[index]
        if (row === undefined) return null
        if (row.kind === 'change')
          return (
            <FileRow
              key={row.change.path}
              style={style}
              change={row.change}
              depth={order === 'file' ? row.depth : undefined}
              session={shown.session}
              isChosen={row.change.path === chosen}
              isViewed={viewed.has(row.change.mark)}
              open={open}
            />
          )
        if (row.kind === 'directory')
          return (
            <DirectoryRow
              key={`directory ${row.path}`}
              style={style}
              row={row}
              isClosed={closed.has(row.path)}
              toggle={toggle}
            />
          )
        if (row.kind === 'command')
          return (
            <div key={`command ${index}`} role="listitem" class="row" style={style}>
              <span class="command cut" title={row.text}>
                <Name text={row.text.split('\n', 1)[0] ?? ''} />
              </span>
            </div>
          )
        return (
          <div key={`group ${row.title}`} role="listitem" class="row" style={style}>
            <h3 class={row.grave ? 'group grave' : 'group'}>
              <span class="cut">
                <Name text={row.title} />
              </span>
              <span class="number">{row.count}</span>
            </h3>
          </div>
        )
      }}
    </VirtualList>
  )
}

function without(set: ReadonlySet<string>, removed: readonly string[]): ReadonlySet<string> {
  return new Set([...set].filter((each) => !removed.includes(each)))
}

/** The indentation of a tree level, in pixels. */
const INDENT = 14
/** The deepest indented level. More would leave no room for a name. */
const MAX_INDENT = 6

function indent(depth: number): { paddingLeft: string } {
  return { paddingLeft: `${6 + Math.min(depth, MAX_INDENT) * INDENT}px` }
}

function DirectoryRow({
  row: { path, name, depth, count },
  style,
  isClosed,
  toggle,
}: {
  row: Extract<Row, { kind: 'directory' }>
  style: RowStyle
  isClosed: boolean
  toggle: (path: string) => void
}) {
  return (
    <div role="listitem" class="row" style={style}>
      <button
        type="button"
        class="directory"
        style={indent(depth)}
        aria-expanded={!isClosed}
        title={path}
        onClick={() => toggle(path)}
      >
        <span class="twisty" aria-hidden="true">
          {isClosed ? '▸' : '▾'}
        </span>
        <span class="cut">
          <Name text={name} />
        </span>
        <span class="number">{count}</span>
      </button>
    </div>
  )
}

function FileRow({
  change,
  depth,
  session,
  style,
  isChosen,
  isViewed,
  open,
}: {
  change: WireChange
  /** Its level in the tree. Undefined in a list, which shows the directory. */
  depth: number | undefined
  session: string
  style: RowStyle
  isChosen: boolean
  isViewed: boolean
  open: Props['open']
}) {
  return (
    <div role="listitem" class="row" style={style}>
      <a
        class={`file ${change.state}${isViewed ? ' is-viewed' : ''}`}
        style={depth === undefined ? undefined : indent(depth)}
        href={hrefOf({ at: 'review', session, path: change.path })}
        aria-current={isChosen ? 'true' : undefined}
        title={change.path}
        onClick={(event) => {
          event.preventDefault()
          open(change)
        }}
      >
        <State change={change} />
        <FileName path={change.path} isInTree={depth !== undefined} />
        {isViewed && (
          <span class="eye" title="viewed">
            <span aria-hidden="true">✓</span>
            <span class="unseen">viewed</span>
          </span>
        )}
        <Amount change={change} />
      </a>
    </div>
  )
}

/** Adds an intent's name after its id. */
function formatTitle(title: string, intents: readonly WireIntent[]): string {
  const [step, id = '', ...rest] = title.split(', ')
  const [own = '', ...reason] = id.split(': ')
  const name = intents.find((intent) => intent.id === own)?.name
  return name === undefined ? title : [step, [`${own} ${name}`, ...reason].join(': '), ...rest].join(', ')
}

/** Shows the file name, cut in its middle if it is too long. The directory may be cut off, and is omitted in the tree. */
function FileName({ path, isInTree }: { path: string; isInTree: boolean }) {
  const cut = path.lastIndexOf('/') + 1
  return (
    <span class="name">
      <span class="leaf">
        <LeafName name={path.slice(cut)} />
      </span>
      {!isInTree && (
        <span class="where">
          <Name text={path.slice(0, cut).replace(/\/$/, '')} />
        </span>
      )}
    </span>
  )
}

/** The end of a long name always shows: it often tells the name from others. */
const TAIL = 14

function LeafName({ name }: { name: string }) {
  const characters = [...name]
  if (characters.length <= 2 * TAIL) return <Name text={name} />
  return (
    <>
      <span class="cut">
        <Name text={characters.slice(0, -TAIL).join('')} />
      </span>
      <span class="tail">
        <Name text={characters.slice(-TAIL).join('')} />
      </span>
    </>
  )
}

const SIGNS: Readonly<Record<string, string>> = { approved: '✓', rejected: '✕', pending: '' }
const KINDS: Readonly<Record<string, string>> = {
  create: 'A',
  modify: 'M',
  delete: 'D',
  rename: 'R',
  mode: 'X',
  link: 'L',
  mkdir: 'F',
}

function State({ change: { state, kind, hunks } }: { change: WireChange }) {
  const [all, approved, rejected] = hunks
  const part = state === 'pending' && approved + rejected > 0
  const words = part ? `${approved} of ${all} hunks approved, ${rejected} rejected` : state
  return (
    <span class={`state ${part ? 'part' : state} kind-${kind}`} title={`${kind}, ${words}`}>
      <span aria-hidden="true">{part ? '◐' : SIGNS[state] || KINDS[kind]}</span>
      <span class="unseen">
        {kind}, {words}:{' '}
      </span>
    </span>
  )
}

function Amount({
  change: {
    state,
    added,
    removed,
    flags,
    hunks: [all, approved, rejected],
  },
}: {
  change: WireChange
}) {
  return (
    <span class="amount">
      {state === 'pending' && approved + rejected > 0 && (
        <span class="quiet">
          {approved + rejected}/{all}
        </span>
      )}
      {flags.includes('binary') && <span class="quiet">bin</span>}
      {added > 0 && <span class="plus">+{added}</span>}
      {removed > 0 && <span class="minus">−{removed}</span>}
    </span>
  )
}
