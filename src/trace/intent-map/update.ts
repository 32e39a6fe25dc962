import { languageOf } from '../../change-class/index.js'
import { type AstNode, astNodes } from './ast-nodes.js'
import type { IntentMap, MapRow, MapSection } from './document.js'

/** The change of one file by one intent. */
export interface MapChange {
  readonly path: string
  /** The old path. */
  readonly from?: string
  readonly intent: string | null
  /** Changed lines of the new content, from 1, both ends included. */
  readonly lines: readonly (readonly [first: number, last: number])[]
  readonly isGone?: true
  /** Undefined if it cannot be read. */
  content(): Uint8Array | undefined
}

/** The limit of work for one commit, some tenths of a second: in bytes of parsed files. */
const BUDGET = 1024 * 1024
/** The cost of a syntax node, in bytes. */
const NODE = 16

/**
 * Updates a map by changes, one file at a time. The intent gets the functions and classes whose lines it changed. The
 * entries of all intents for that file are looked up again by name, because lines have shifted. Unchanged files are not
 * read, and files beyond the limit of work keep their entries.
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

/** A map while it is updated: the rows of each intent by file. */
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

/** Moves the entries of an intent to the file's new name and lines. Replaces the entries that the name had before. */
function relocate(rows: Map<string, MapRow>, change: MapChange, nodes: readonly AstNode[] | undefined): void {
  const { path, from = path, isGone } = change
  const row = rows.get(from)
  rows.delete(path)
  rows.delete(from)
  if (row === undefined || isGone) return
  const names = new Set(row.nodes.map(({ name }) => name))
  rows.set(path, { ...row, file: path, nodes: nodes?.filter(({ name }) => names.has(name)) ?? row.nodes })
}
