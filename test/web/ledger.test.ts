import { appendFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { WireTimeline } from '../../src/web/wire.js'
import { setUp } from './setup.js'

/** The page that asks for older records shows each once, also if an agent adds records meanwhile. */
it.each([
  ['with ids', (n: number) => ({ id: `R-${n}` })],
  ['of which some have no id', (n: number) => (n % 3 === 0 ? { id: `R-${n}` } : {})],
  ['whose ids repeat', (n: number) => ({ id: `R-${n % 150}` })],
])('the ledger page lists records %s, newest first, each on one page', async (_, about) => {
  const { ask, project } = await setUp()
  const file = `${project.root}/.orchestration/agent_trace.jsonl`
  const add = (n: number) =>
    appendFileSync(file, `${JSON.stringify({ ...about(n), files: [{ path: `src/${n}.ts` }] })}\n`)
  const read = async (query = '') => (await ask(`/api/ledger${query}`)).json<WireTimeline>()
  const { records: before } = await read()
  for (let n = 0; n < 450; n++) add(n)
  const pages: WireTimeline[] = [await read()]
  for (let next = pages[0]?.next; next !== undefined; next = pages.at(-1)?.next) {
    add(1_000)
    const newest = next.newest === undefined ? '' : `&newest=${encodeURIComponent(next.newest)}`
    pages.push(await read(`?skip=${next.skip}${newest}`))
  }
  const summaries = pages.flatMap(({ records }) => records.map((record) => record.about))
  expect(pages.map(({ records }) => records.length)).toEqual([200, 200, 50 + before.length])
  expect(summaries.slice(0, 450)).toEqual(Array.from({ length: 450 }, (__, n) => [`src/${449 - n}.ts`]))
})
