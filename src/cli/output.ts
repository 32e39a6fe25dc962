import { Option } from 'commander'
import { oneLine } from './printable.js'

/** `--json`, as every command has it that prints data. @param more what the document is, where that has to be said */
export function jsonOption(more?: string): Option {
  return new Option('--json', `print one JSON document${more === undefined ? '' : `: ${more}`}`)
}

export interface AsJson {
  readonly json?: true
}

/** The one document of a `--json` command. */
export function json(document: unknown): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

/** Columns as wide as they need to be, two spaces between; what the cells hold cannot break the rows. */
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
