import { copyFileSync, existsSync, readFileSync, renameSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { digest } from '../../overlay/digest.js'
import type { Layout } from '../../src/core/layout.js'
import { compareContents, linesOfChange } from '../../src/trace/index.js'
import { openLedger } from '../../src/trace/ledger.js'
import { attribute, draftOf, NO_LOCK, workspaces } from './support.js'

const workspace = workspaces()
const LONG = 'x'.repeat(6_000)
const CONTENT = Buffer.from('one\ntwo\n')

const pointOf = (layout: Layout) => join(layout.state, 'ledger-point.json')
const open = (layout: Layout) => openLedger(layout, NO_LOCK)

/** A ledger that is long enough for a saved point: more than 4 MiB. The first record is a commit. */
async function longLedger(): Promise<Layout> {
  const layout = workspace()
  const ledger = open(layout)
  const comparison = compareContents(null, CONTENT)
  const lines = comparison && linesOfChange('src/a.ts', comparison, false)
  await ledger.append([
    draftOf({
      type: 'commit',
      files: [attribute({ path: 'src/a.ts', before: null, after: CONTENT })],
      changes: [{ path: 'src/a.ts', before: null, after: digest(CONTENT) }],
      lines: lines ? [lines] : [],
      tx: '1',
    }),
    ...Array.from({ length: 700 }, () => draftOf({ data: { reason: LONG } })),
  ])
  await ledger.head()
  return layout
}

/** Changes a byte early in the file, in place. */
function damage(layout: Layout): void {
  const path = `${layout.ledgerFile}`
  const bytes = readFileSync(path)
  bytes[bytes.indexOf('xxx', 2_000_000)] = 0x79
  writeFileSync(path, bytes)
}

it('saves no point for a short ledger', async () => {
  const layout = workspace()
  await open(layout).append([draftOf()])
  await open(layout).head()
  expect(existsSync(pointOf(layout))).toBe(false)
})

it('continues in the next process from the point, with the same head and line heads', async () => {
  const layout = await longLedger()
  const point = JSON.parse(readFileSync(pointOf(layout), 'utf8'))
  expect(point.tip.end).toBe(statSync(`${layout.ledgerFile}`).size)
  expect(statSync(pointOf(layout)).mode & 0o777).toBe(0o600)
  const ledger = open(layout)
  expect(await ledger.head()).toMatchObject({ seq: 701, hash: point.tip.hash })
  expect(ledger.lineHead('src/a.ts')).toBe(digest(CONTENT))
  await ledger.append([draftOf()])
  expect(await ledger.verify()).toMatchObject({ ok: true, records: 702 })
})

it('does not read lines before the point again, except for verify', async () => {
  const layout = await longLedger()
  damage(layout)
  await open(layout).append([draftOf()])
  expect(await open(layout).verify()).toMatchObject({ ok: false })
})

it.each<[string, (layout: Layout) => void]>([
  ['of another file', copyInPlace],
  ['without JSON', (layout) => truncateSync(pointOf(layout), 1000)],
  ['of another version', (layout) => rewrite(layout, (point) => ({ ...point, version: 2 }))],
  ['with another hash', (layout) => rewrite(layout, (point) => withTip(point, { hash: '0'.repeat(64) }))],
  ['with an end behind the file', (layout) => rewrite(layout, (point) => withTip(point, { end: 1e12 }))],
  ['with an end inside of a line', (layout) => rewrite(layout, (point) => withTip(point, { end: point.tip.end - 1 }))],
  ['of another form', (layout) => rewrite(layout, () => [])],
])('a point %s is not used', async (_name, spoil) => {
  const layout = await longLedger()
  damage(layout)
  spoil(layout)
  await expect(open(layout).head()).rejects.toMatchObject({ reason: 'ledger_corrupt' })
})

it('ignores a point of lines that were cut off', async () => {
  const layout = await longLedger()
  const bytes = readFileSync(`${layout.ledgerFile}`)
  const end = bytes.lastIndexOf(10, bytes.length - 2) + 1
  truncateSync(`${layout.ledgerFile}`, end)
  expect(await open(layout).head()).toMatchObject({ seq: 700 })
})

it('loses only the point if the state directory cannot be written', async () => {
  const layout = workspace()
  const ledger = open(layout)
  await ledger.append(Array.from({ length: 701 }, () => draftOf({ data: { reason: LONG } })))
  // A file in its place makes every write there fail, for root as well.
  renameSync(layout.state, `${layout.state}-away`)
  writeFileSync(layout.state, '')
  expect(await ledger.head()).toMatchObject({ seq: 701 })
})

type Point = { tip: { end: number } }

function rewrite(layout: Layout, change: (point: Point) => unknown): void {
  writeFileSync(pointOf(layout), JSON.stringify(change(JSON.parse(readFileSync(pointOf(layout), 'utf8')))))
}

function withTip(point: Point, more: object): unknown {
  return { ...point, tip: { ...point.tip, ...more } }
}

function copyInPlace(layout: Layout): void {
  copyFileSync(`${layout.ledgerFile}`, `${layout.ledgerFile}.copy`)
  renameSync(`${layout.ledgerFile}.copy`, `${layout.ledgerFile}`)
}
