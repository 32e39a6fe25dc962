import { afterAll, describe, expect, it } from 'vitest'
import { hostFs } from '../../src/index.js'
import { early, leaks } from './judge.js'
import { type AtWork, atWork, carryOut, type House, newHouse } from './subjects.js'
import { ATTACKS } from './table.js'
import { picture } from './world.js'

/** The table through what a host's modules have for `fs`, in tool calls: the way there opens no other. */

const KINDS = ATTACKS.filter(({ rows }) => rows.every(({ once }) => once !== true))
const WAYS = ['sync', 'promise', 'descriptor'] as const

let spare: { house: House; work: AtWork } | undefined
afterAll(async () => {
  await spare?.work.close()
  await spare?.house.close()
})

describe.each(KINDS)('$kind', ({ rows }) => {
  it.each(rows)('$name', async (row) => {
    const reused = row.setUp || row.meanwhile ? undefined : spare
    if (reused) spare = undefined
    const house = reused?.house ?? (await newHouse(row.setUp))
    const work = reused?.work ?? (await atWork(house))
    const { subject } = work
    const session = subject.session ?? expect.unreachable()
    const aliased = { ...subject, fs: hostFs(session, { host: 'roo' }) }
    await work.begin()
    for (const way of WAYS) {
      const run = () => carryOut(row.deed, aliased, way, house.world)
      expect((await session.toolCall({ tool: 'edit', kind: 'edit', host: 'roo' }, run)).hung).toBe(false)
      await work.begin()
    }
    expect(early(house.world, house.before)).toEqual([])
    row.meanwhile?.(house.world)
    const isClean = !row.setUp && !row.meanwhile && (await work.staged()) === 0
    if (isClean && !spare) {
      spare = { house, work }
      return
    }
    const before = row.meanwhile ? picture(house.world.outer) : house.before
    await work.release()
    const found = leaks(house.world, before, row.keeps)
    await work.close()
    await house.close()
    expect(found).toEqual([])
  })
})
