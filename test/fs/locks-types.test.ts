import { beforeAll, describe, expect, it } from 'vitest'
import { rowsIn, type SourceRow, typeErrors, withRow } from '../support/mutated-source.js'

/**
 * The first and the third lock are types: each test removes a part of a table's source, and the type check must report
 * it.
 */

interface Mutant {
  readonly what: string
  readonly row: SourceRow
  readonly text: string
}

/** Rows for functions that only the running host has: its types lack them, so no type can require them. */
const UNTYPED: Readonly<Record<string, readonly string[]>> = {
  OPS: ['openFileHandle', 'Utf8Stream', '_toUnixTimestamp'],
  HANDLE_OPS: ['getAsyncId'],
}

function missingRows(text: string, rows: readonly SourceRow[]): Mutant[] {
  return rows.flatMap((row) => [
    { what: `${row.name} deleted`, row, text: withRow(text, row, '') },
    { what: `${row.name} misspelt`, row, text: withRow(text, row, `${row.name}x: ${row.value},`) },
  ])
}

/** A body without a fault: the errors of {@link wrongKinds} are about the kind, not about the syntax. */
function legalRead(text: string, [row]: readonly SourceRow[]): Mutant[] {
  if (!row?.value.startsWith('reads(')) return []
  const body = "(view) => [view.layer.readlink('x' as never), view.descriptors.get(3).file.stat()]"
  return [{ what: 'a legal read', row, text: withRow(text, row, `${row.name}: reads('x', TARGET, ${body}),`) }]
}

/** Each write row declared as a read, and each read row with a body that calls a mutator. */
function wrongKinds(text: string, rows: readonly SourceRow[]): Mutant[] {
  const writes = rows.filter((row) => row.value.startsWith('writes('))
  const reads = rows.filter((row) => row.value.startsWith('reads('))
  const asReading = (row: SourceRow) => row.value.replace('writes(', 'reads(')
  const mutating = [
    "view.layer.put('x' as never, new Uint8Array())",
    "view.layer.remove('x' as never)",
    'view.descriptors.get(3).file.write(new Uint8Array(), 0)',
    'view.descriptors.get(3).file.setattr({ size: 0 })',
    "view.target('x', 'follow', 'put')",
    "view.host({ inside: false, path: '', asked: '' }).writeFileSync('x', '')",
    "view.host({ inside: false, path: '', asked: '' }).readFileSync('x', { flag: 'w' })",
  ]
  return [
    ...writes.map((row) => ({
      what: `${row.name} declared a read`,
      row,
      text: withRow(text, row, `${row.name}: ${asReading(row)},`),
    })),
    ...reads.slice(0, 1).flatMap((row) =>
      mutating.map((call) => ({
        what: `${row.name} calls ${call}`,
        row,
        text: withRow(text, row, `${row.name}: reads('x', TARGET, (view) => ${call}),`),
      })),
    ),
  ]
}

interface Suite {
  readonly errors: ReadonlyMap<string, string[]>
  readonly missing: readonly Mutant[]
  readonly kinds: readonly Mutant[]
}

function suiteOf(file: string, table: string): Suite {
  const { text, rows } = rowsIn(file, table)
  const missing = missingRows(text, rows)
  const kinds = wrongKinds(text, rows)
  const all = [...legalRead(text, rows), ...missing, ...kinds]
  const found = typeErrors(file, [text, ...all.map((mutant) => mutant.text)])
  const names = ['untouched', ...all.map(({ what }) => what)]
  return { missing, kinds, errors: new Map(names.map((name, i) => [name, found[i] ?? []])) }
}

describe.each([
  ['src/fs/ops.ts', 'OPS', 50],
  ['src/fs/handle-ops.ts', 'HANDLE_OPS', 20],
])('the type lock of %s', (file, table, least) => {
  let suite: Suite
  beforeAll(() => {
    suite = suiteOf(file, table)
  }, 180_000)

  it('accepts the table as it is', () => {
    expect(suite.errors.get('untouched')).toEqual([])
    expect(suite.errors.get('a legal read') ?? []).toEqual([])
  })

  it('reports every deleted or misspelt row by name', () => {
    const silent = suite.missing.filter(
      ({ what, row }) => !suite.errors.get(what)?.some((error) => error.includes(`'${row.name}'`)),
    )
    const untyped = (UNTYPED[table] ?? []).flatMap((name) => [`${name} deleted`, `${name} misspelt`])
    expect(silent.map(({ what }) => what).sort()).toEqual(untyped.sort())
    expect(suite.missing.length).toBeGreaterThan(2 * least)
  })

  it('offers no mutator for a read', () => {
    const kindError = /'(ReadView|WriteView|ReadLayer|ReadFile|HostReads)'|Expected 1 arguments, but got 2/
    const silent = suite.kinds.filter(({ what }) => !suite.errors.get(what)?.some((error) => kindError.test(error)))
    expect(silent.map(({ what }) => what)).toEqual([])
    expect(suite.kinds.length > 20).toBe(table === 'OPS')
  })
})
