import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { kindTables, opTable, schemaTable, typeTable } from '../../../scripts/docs/shapes.js'

const cells = (table: string) =>
  table
    .split('\n')
    .slice(2)
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| |\|$/g, '').trim()))

describe('the table of a schema', () => {
  it('has a row for each key, also inside maps and lists', () => {
    const schema = z.strictObject({
      name: z.string(),
      mode: z.enum(['a', 'b']).nullish(),
      section: z.strictObject({ count: z.int().positive() }).partial().optional(),
      items: z.array(z.strictObject({ is: z.boolean() })),
    })
    expect(cells(schemaTable(schema))).toEqual([
      ['`name`', 'a string', 'required'],
      ['`mode`', '`a`, `b`', ''],
      ['`section`', 'a map', ''],
      ['`section.count`', 'an integer above 0', ''],
      ['`items`', 'a list of: a map', 'required'],
      ['`items[].is`', '`true`, `false`', 'required'],
    ])
  })

  it('exists for each kind of a union', () => {
    const one = z.strictObject({ kind: z.literal('one'), id: z.string(), x: z.string() })
    const two = z.strictObject({ kind: z.literal('two'), id: z.string() })
    const tables = kindTables(z.discriminatedUnion('kind', [one, two]), ['kind', 'id'])
    expect(tables.map(([kind, table]) => [kind, cells(table)])).toEqual([
      ['one', [['`x`', 'a string', 'required']]],
      ['two', []],
    ])
  })
})

describe('the table of a type', () => {
  it('lists the members with their docstrings', () => {
    const rows = cells(typeTable('src/core/snapshot-api.ts', 'Travelled'))
    expect(rows[0]).toEqual(['`left`', '`Snapshot`', 'A snapshot of the stage before. Restore it to return.'])
  })

  it('has a row for each op of an edit, with its comment', () => {
    const rows = cells(opTable('overlay/stage-edit.ts', 'StageEdit', 'ImageEdit'))
    expect(rows.length).toBeGreaterThan(15)
    expect(rows.filter(([, , description]) => description === '')).toEqual([])
    expect(rows.find(([op]) => op === '`settle`')?.[1]).toContain('`drop`')
  })
})
