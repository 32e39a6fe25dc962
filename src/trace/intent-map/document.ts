import type { AstNode } from './ast-nodes.js'

/** One file that an intent has changed. */
export interface MapRow {
  readonly file: string
  readonly nodes: readonly AstNode[]
  /** The day of the last change, `2026-02-18`. */
  readonly modified: string
}

/** The map's section of one intent. */
export interface MapSection {
  readonly id: string
  readonly name: string
  readonly rows: readonly MapRow[]
  /** A person's notes at its end. */
  readonly notes: string
}

export interface IntentMap {
  /** A person's notes at the top. */
  readonly notes: string
  readonly sections: readonly MapSection[]
}

/** An intent in the registry. */
export interface MapIntent {
  readonly id: string
  readonly name: string
  readonly status: string
  readonly ownedScope: readonly string[]
  readonly constraints: readonly string[]
  readonly dependsOn: readonly string[]
}

const NOTES = '<!-- notes: what is written from here to the end of notes stays -->'
const END = '<!-- end of notes -->'
const HEAD = '| File | AST Nodes | Last Modified |'

/** The limit of names listed for one file. */
const MAX_NODES = 100

/**
 * Parses a map that {@link renderMap} wrote. A person's edits outside the notes are lost at the next write. A map that
 * git merged from two has sections twice: they become one, with the notes of both.
 */
export function parseMap(text: string): IntentMap {
  const sections: Writable[] = []
  let section: Writable | undefined
  let notes = ''
  let noting: string[] | undefined
  for (const line of text.split('\n')) {
    if (noting !== undefined) {
      if (line.trim() !== END) noting.push(line)
      else {
        if (section) section.notes = joinedNotes(section.notes, noting)
        else notes = joinedNotes(notes, noting)
        noting = undefined
      }
    } else if (line.trim() === NOTES) noting = []
    else {
      const title = /^## ([^:\s]+): (.*)$/.exec(line)
      const row = rowOf(line)
      if (title) {
        const [, id = '', name = ''] = title
        section = sections.find((each) => each.id === id) ?? { id, name, rows: [], notes: '' }
        if (!sections.includes(section)) sections.push(section)
      } else if (row) section?.rows.push(row)
    }
  }
  // A missing end marker must not lose the notes.
  if (noting !== undefined) return { notes: [notes, ...noting].join('\n').trim(), sections }
  return { notes, sections }
}

type Writable = MapSection & { rows: MapRow[]; notes: string }

function joinedNotes(before: string, noted: readonly string[]): string {
  const now = noted.join('\n')
  if (now.trim() === '' || now === before) return before || now
  return before.trim() === '' ? now : `${before}\n${now}`
}

function rowOf(line: string): MapRow | undefined {
  const cells = /^\| ((?:[^|\\]|\\.)*) \| ([^|]*) \| (\d{4}-\d{2}-\d{2}) \|$/.exec(line)
  if (!cells) return undefined
  const nodes = (cells[2] ?? '').split(', ').flatMap((word) => {
    const node = /^(\S+) (\d+)(?:-(\d+))?$/.exec(word)
    if (!node) return []
    return [{ name: node[1] ?? '', first: Number(node[2]), last: Number(node[3] ?? node[2]) }]
  })
  return { file: unescapeMarkdown(cells[1] ?? ''), nodes, modified: cells[3] ?? '' }
}

/** Formats the map: intents in the registry's order, then those that are no longer in it; files by name. */
export function renderMap(map: IntentMap, intents: readonly MapIntent[]): string {
  const known = new Map(map.sections.map((section) => [section.id, section]))
  const dependentsOf = (id: string) => intents.filter(({ dependsOn }) => dependsOn.includes(id))
  const names = new Map(intents.map(({ id, name }) => [id, name]))
  const formatIds = (ids: readonly string[]) =>
    ids.length === 0
      ? 'None'
      : ids.map((id) => (names.has(id) ? `${id} (${inLine(names.get(id) ?? '')})` : id)).join(', ')
  const sections = intents.map((intent) => {
    const section = known.get(intent.id)
    known.delete(intent.id)
    const facts = [
      `**Status:** ${intent.status}  `,
      `**Scope:** ${intent.ownedScope.map((glob) => `\`${inLine(glob)}\``).join(', ')}`,
      ...(intent.constraints.length > 0 ? ['', `**Constraints:** ${intent.constraints.map(inLine).join('; ')}`] : []),
    ]
    const links = [
      `**Dependencies:** ${formatIds(intent.dependsOn)}  `,
      `**Blocks:** ${formatIds(dependentsOf(intent.id).map(({ id }) => id))}`,
    ]
    return sectionText({ ...(section ?? EMPTY), id: intent.id, name: intent.name }, facts, links)
  })
  const unregistered = [...known.values()].filter(({ rows, notes }) => rows.length > 0 || notes.trim() !== '')
  const rest = unregistered.map((section) =>
    sectionText(section, ['**Status:** not in the registry any more  ', '**Scope:**'], []),
  )
  return `${['# Intent Map', noteText(map.notes), ...sections, ...rest].join('\n\n')}\n`
}

const EMPTY = { rows: [], notes: '' }

function sectionText(
  { id, name, rows, notes }: MapSection,
  facts: readonly string[],
  links: readonly string[],
): string {
  const table = [HEAD, '| --- | --- | --- |', ...[...rows].sort(byFile).map(rowText)]
  const parts = [[`## ${id}: ${inLine(name)}`], facts, table, links, [noteText(notes)]].filter(
    (part) => part.length > 0,
  )
  return parts.map((part) => part.join('\n')).join('\n\n')
}

function noteText(notes: string): string {
  return notes === '' ? `${NOTES}\n${END}` : `${NOTES}\n${notes}\n${END}`
}

function rowText({ file, nodes, modified }: MapRow): string {
  const listed = nodes.slice(0, MAX_NODES)
  const names = listed.map(({ name, first, last }) => `${name} ${first === last ? first : `${first}-${last}`}`)
  const more = nodes.length > listed.length ? [`and ${nodes.length - listed.length} more`] : []
  return `| ${escapeMarkdown(file)} | ${[...names, ...more].join(', ') || '-'} | ${modified} |`
}

function byFile(a: MapRow, b: MapRow): number {
  return a.file < b.file ? -1 : a.file > b.file ? 1 : 0
}

/** Escapes a file name, which may contain anything, so that it stays in its table cell and makes no link. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\|[]/g, '\\$&')
    .replace(/[\p{C}\p{Zl}\p{Zp}<]/gu, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16)};`)
}

function unescapeMarkdown(text: string): string {
  return text.replace(/\\(?:u([0-9a-f]+);|(.))/g, (_, code?: string, char?: string) =>
    code === undefined ? (char ?? '') : String.fromCodePoint(Number.parseInt(code, 16)),
  )
}

function inLine(text: string): string {
  return text.replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').replace(/</g, '&lt;')
}
