import { useEffect, useMemo, useRef } from 'preact/hooks'
import type { WireChange, WireChanges, WireIntent } from '../../src/web/wire.js'
import { addressOf } from './route.js'
import { Name, pluralize } from './shared.js'
import { type Scroller, VirtualList } from './virtual.js'

interface Props {
  readonly shown: WireChanges
  readonly chosen: string | undefined
  readonly intents: readonly WireIntent[]
  readonly viewed: ReadonlySet<string>
  readonly open: (change: WireChange) => void
}

type Row = { readonly title: string; readonly grave: boolean; readonly count: number } | WireChange

/** The changes in the order in which they should be read. */
export function FileList({ shown, chosen, intents, viewed, open }: Props) {
  const rows = useMemo(
    () =>
      shown.groups.flatMap(({ title, grave, changes }): Row[] => [
        { title: formatTitle(title, intents), grave, count: changes.length },
        ...changes,
      ]),
    [shown, intents],
  )
  const scroller = useRef<Scroller>(null)
  const at = rows.findIndex((row) => 'path' in row && row.path === chosen)
  useEffect(() => {
    if (at >= 0) scroller.current?.show(at)
  }, [at])
  const files = rows.length - shown.groups.length
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
        if ('path' in row)
          return (
            <div key={row.path} role="listitem" class="row" style={style}>
              <a
                class={`file ${row.state}${viewed.has(row.mark) ? ' is-viewed' : ''}`}
                href={addressOf({ at: 'review', session: shown.session, path: row.path })}
                aria-current={row.path === chosen ? 'true' : undefined}
                title={row.path}
                onClick={(event) => {
                  event.preventDefault()
                  open(row)
                }}
              >
                <State change={row} />
                <FileName path={row.path} />
                <Amount change={row} />
              </a>
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

function formatTitle(title: string, intents: readonly WireIntent[]): string {
  const [id = '', ...rest] = title.split(' · ')
  const name = intents.find((intent) => intent.id === id)?.name
  return name === undefined ? title : [`${id} ${name}`, ...rest].join(' · ')
}

/** What it is called is always seen; of where it is, the end. */
function FileName({ path }: { path: string }) {
  const cut = path.lastIndexOf('/') + 1
  return (
    <span class="name">
      <span class="leaf">
        <Name text={path.slice(cut)} />
      </span>
      <span class="where">
        <Name text={path.slice(0, cut).replace(/\/$/, '')} />
      </span>
    </span>
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
