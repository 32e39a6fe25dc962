import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { HANDLE_OPS } from '../../src/fs/handle-ops.js'
import { OPS, type Row } from '../../src/fs/ops.js'
import type { Limits, Unit } from './limits-list.js'
import { code, table } from './markdown.js'
import { REPOSITORY } from './sources.js'

/** The tables of refused functions and of limits. */

/** The functions that are refused for all arguments, with the reason. */
export function refusedTable(): string {
  const rows = [...refusedRows('fs.', OPS), ...refusedRows('FileHandle.', HANDLE_OPS)]
  return table(['function', 'why it is refused'], rows)
}

type AnyRow = Row | { readonly kind: 'method' }

function refusedRows(prefix: string, rows: Readonly<Record<string, AnyRow>>): string[][] {
  return Object.entries(rows).flatMap(([name, row]) =>
    row.kind === 'refused' ? [[code(`${prefix}${name}`), row.why]] : [],
  )
}

export function limitsTable(limits: Limits): string {
  const rows = Object.entries(limits).map(([key, [unit, what]]) => {
    const [file = '', name = ''] = key.split('#')
    const value = constantsOf(file).get(name)
    if (value === undefined) throw new Error(`${file} has no ${name} that is a number.`)
    return [formatLimit(value, unit), what, code(file)]
  })
  return table(['at most', 'of what', 'source'], rows)
}

const SCALES: Readonly<Record<Unit, readonly (readonly [size: number, name: string])[]>> = {
  bytes: [
    [2 ** 30, 'GiB'],
    [2 ** 20, 'MiB'],
    [2 ** 10, 'KiB'],
    [1, 'bytes'],
  ],
  milliseconds: [
    [60_000, 'min'],
    [1_000, 's'],
    [1, 'ms'],
  ],
  count: [[1, '']],
}

function formatLimit(value: number, unit: Unit): string {
  const [size, name] = SCALES[unit].find(([each]) => value % each === 0) ?? [1, unit]
  return `${(value / size).toLocaleString('en-US')} ${name}`.trim()
}

/** The numeric constants at the top level of a file, by name. */
export function constantsOf(file: string): ReadonlyMap<string, number> {
  const text = readFileSync(join(REPOSITORY, file), 'utf8')
  const found = new Map<string, number>()
  for (const statement of ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true).statements) {
    if (!ts.isVariableStatement(statement)) continue
    for (const { name, initializer } of statement.declarationList.declarations) {
      const value = initializer && numberOf(initializer)
      if (value !== undefined && ts.isIdentifier(name)) found.set(name.text, value)
    }
  }
  return found
}

function numberOf(node: ts.Expression): number | undefined {
  if (ts.isNumericLiteral(node)) return Number(node.text)
  if (ts.isParenthesizedExpression(node)) return numberOf(node.expression)
  if (!ts.isBinaryExpression(node)) return undefined
  const [left, right] = [numberOf(node.left), numberOf(node.right)]
  if (left === undefined || right === undefined) return undefined
  return OPERATORS[node.operatorToken.getText()]?.(left, right)
}

const OPERATORS: Readonly<Record<string, (a: number, b: number) => number>> = {
  '*': (a, b) => a * b,
  '**': (a, b) => a ** b,
  '-': (a, b) => a - b,
  '<<': (a, b) => a << b,
}
