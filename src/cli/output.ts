import { Option } from 'commander'
import { oneLine, printableJson } from './printable.js'

/** The `--json` option. @param more describes the document, if the command prints something other than an object */
export function jsonOption(more?: string): Option {
  return new Option('--json', `print one JSON document${more === undefined ? '' : `: ${more}`}`)
}

export interface AsJson {
  readonly json?: true
}

/** Formats the document of a `--json` command. Escapes control characters, because the output may go to a terminal. */
export function json(document: unknown): string {
  return `${printableJson(JSON.stringify(document, null, 2))}\n`
}

/** Renders rows in aligned columns, two spaces apart. Control characters in cells are made visible. */
export function table(rows: readonly (readonly string[])[], indent = ''): string {
  const cells = rows.map((row) => row.map(oneLine))
  const widths: number[] = []
  for (const row of cells)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  const line = (row: string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')
  return cells.map((row) => `${indent}${line(row)}`.trimEnd().concat('\n')).join('')
}

/** `1 change`, `2 changes`. */
export function pluralize(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
