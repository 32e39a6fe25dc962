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

/** Bytes of files that are parsed for one commit: about a second of work. */
const BUDGET = 1024 * 1024

/**
 * Takes changes into a map, a file at a time. The intent gets the parts of a file whose lines it changed; what it and others
 * had of that file is looked up anew by name, as lines have shifted. Files nobody changed stay as they are, unread, and so do
 * the parts of those that are too many to be parsed now.
 */
export async function updateMap(map: IntentMap, changes: readonly MapChange[], day: string): Promise<IntentMap> {
  let { sections } = map
  const left = { bytes: BUDGET }
  for (const change of changes) sections = withChange(sections, change, await nodesOf(change, left), day)
  return { ...map, sections }
}

async function nodesOf({ path, isGone, content }: MapChange, left: { bytes: number }): Promise<AstNode[] | undefined> {
  if (isGone || left.bytes <= 0) return isGone ? [] : undefined
  const bytes = content()
  left.bytes -= bytes?.length ?? 0
  return bytes && astNodes(path, bytes)
}

function withChange(
  sections: readonly MapSection[],
  change: MapChange,
  nodes: readonly AstNode[] | undefined,
  day: string,
): MapSection[] {
  const { path, from = path, intent, lines, isGone } = change
  const kept = sections.map((section) => ({ ...section, rows: section.rows.flatMap(relocated) }))
  if (intent === null || isGone) return kept
  const section = kept.find(({ id }) => id === intent) ?? { id: intent, name: intent, rows: [], notes: '' }
  const before = section.rows.find(({ file }) => file === path)?.nodes ?? []
  const had = new Set(before.map(({ name }) => name))
  const isChanged = ({ first, last }: AstNode) => lines.some(([start, end]) => start <= last && end >= first)
  const now = nodes?.filter((node) => had.has(node.name) || isChanged(node)) ?? before
  const row = { file: path, nodes: now, modified: day }
  const rows = [...section.rows.filter(({ file }) => file !== path), row]
  return [...kept.filter(({ id }) => id !== intent), { ...section, rows }]

  function relocated(row: MapRow): MapRow[] {
    if (row.file !== from && row.file !== path) return [row]
    // What stood at the new name before is gone.
    if (isGone || row.file !== from) return []
    const names = new Set(row.nodes.map(({ name }) => name))
    return [{ ...row, file: path, nodes: nodes?.filter(({ name }) => names.has(name)) ?? row.nodes }]
  }
}
