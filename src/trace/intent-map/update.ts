import { languageOf } from '../../change-class/index.js'
import { type AstNode, astNodes } from './ast-nodes.js'
import type { IntentMap, MapRow, MapSection } from './document.js'

/** What became of one file for one intent. */
export interface MapChange {
  readonly path: string
  /** Where it was before. */
  readonly from?: string
  readonly intent: string | null
  /** Changed lines of the new content, from 1, both ends included. */
  readonly lines: readonly (readonly [first: number, last: number])[]
  readonly isGone?: true
  /** Undefined where it cannot be read. */
  content(): Uint8Array | undefined
}

/** Work for one commit, some tenths of a second: bytes of files that are parsed, and the nodes that are looked at. */
const BUDGET = 1024 * 1024
/** What a node costs of it. */
const NODE = 16

/**
 * Takes changes into a map, a file at a time. The intent gets the parts of a file whose lines it changed; what it and others
 * had of that file is looked up anew by name, as lines have shifted. Files nobody changed stay as they are, unread, and so do
 * the parts of those that are too many to be parsed now.
 */
export async function updateMap(map: IntentMap, changes: readonly MapChange[], day: string): Promise<IntentMap> {
  const sections = new Sections(map.sections)
  const left = { work: BUDGET }
  for (const change of changes) sections.take(change, await nodesOf(change, left), day)
  return { ...map, sections: sections.all() }
}

async function nodesOf({ path, isGone, content }: MapChange, left: { work: number }): Promise<AstNode[] | undefined> {
  if (isGone || languageOf(path) === undefined) return []
  if (left.work <= 0) return undefined
  const bytes = content()
  left.work -= bytes?.length ?? 0
  return (
    bytes &&
    astNodes(path, bytes, (nodes) => {
      left.work -= NODE * nodes
    })
  )
}

/** A map under way: each intent's rows by their file. */
class Sections {
  readonly #byIntent: Map<string, { readonly section: MapSection; readonly rows: Map<string, MapRow> }>

  constructor(sections: readonly MapSection[]) {
    const indexed = sections.map((section) => {
      const rows = new Map(section.rows.map((row) => [row.file, row]))
      return [section.id, { section, rows }] as const
    })
    this.#byIntent = new Map(indexed)
  }

  all(): MapSection[] {
    return [...this.#byIntent.values()].map(({ section, rows }) => ({ ...section, rows: [...rows.values()] }))
  }

  take(change: MapChange, nodes: readonly AstNode[] | undefined, day: string): void {
    const { path, intent, lines, isGone } = change
    for (const { rows } of this.#byIntent.values()) relocate(rows, change, nodes)
    if (intent === null || isGone) return
    const rows = this.#rowsOf(intent)
    const before = rows.get(path)?.nodes ?? []
    const had = new Set(before.map(({ name }) => name))
    const isChanged = ({ first, last }: AstNode) => lines.some(([start, end]) => start <= last && end >= first)
    const now = nodes?.filter((node) => had.has(node.name) || isChanged(node)) ?? before
    rows.set(path, { file: path, nodes: now, modified: day })
  }

  #rowsOf(intent: string): Map<string, MapRow> {
    const known = this.#byIntent.get(intent)
    if (known !== undefined) return known.rows
    const rows = new Map<string, MapRow>()
    this.#byIntent.set(intent, { section: { id: intent, name: intent, rows: [], notes: '' }, rows })
    return rows
  }
}

/** What an intent had of the file, under the name and by the parts it has now; what stood at that name before is gone. */
function relocate(rows: Map<string, MapRow>, change: MapChange, nodes: readonly AstNode[] | undefined): void {
  const { path, from = path, isGone } = change
  const row = rows.get(from)
  rows.delete(path)
  rows.delete(from)
  if (row === undefined || isGone) return
  const names = new Set(row.nodes.map(({ name }) => name))
  rows.set(path, { ...row, file: path, nodes: nodes?.filter(({ name }) => names.has(name)) ?? row.nodes })
}
