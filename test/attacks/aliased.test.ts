import { afterAll, describe, expect, it } from 'vitest'
import { hostFs } from '../../src/index.js'
import { changesBeforeReview, leaks } from './judge.js'
import { type AgentRun, type OpenWorld, openWorld, perform, startAgent } from './subjects.js'
import { ATTACKS } from './table.js'
import { takeSnapshot } from './world.js'

/** The table through the `fs` that replaces a host's module, in tool calls: it must not allow more than the session does. */

const KINDS = ATTACKS.filter(({ rows }) => rows.every(({ once }) => once !== true))
const CALL_STYLES = ['sync', 'promise', 'descriptor'] as const

let spare: { opened: OpenWorld; work: AgentRun } | undefined
afterAll(async () => {
  await spare?.work.close()
  await spare?.opened.close()
})

describe.each(KINDS)('$kind', ({ rows }) => {
  it.each(rows)('$name', async (row) => {
    const reused = row.setUp || row.beforeCommit ? undefined : spare
    if (reused) spare = undefined
    const opened = reused?.opened ?? (await openWorld(row.setUp))
    const work = reused?.work ?? (await startAgent(opened))
    const { subject } = work
    const session = subject.session ?? expect.unreachable()
    const aliased = { ...subject, fs: hostFs(session, { host: 'roo' }) }
    await work.begin()
    for (const style of CALL_STYLES) {
      const run = () => perform(row.action, aliased, style, opened.world)
      expect((await session.toolCall({ tool: 'edit', kind: 'edit', host: 'roo' }, run)).hung).toBe(false)
      await work.begin()
    }
    expect(changesBeforeReview(opened.world, opened.before)).toEqual([])
    row.beforeCommit?.(opened.world)
    const isClean = !row.setUp && !row.beforeCommit && (await work.countStaged()) === 0
    if (isClean && !spare) {
      spare = { opened, work }
      return
    }
    const before = row.beforeCommit ? takeSnapshot(opened.world.outer) : opened.before
    await work.release()
    const found = leaks(opened.world, before, row.mustNotChange)
    await work.close()
    await opened.close()
    expect(found).toEqual([])
  })
})
