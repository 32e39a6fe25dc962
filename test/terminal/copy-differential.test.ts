import { describe, it, vi } from 'vitest'
import { sameAsATree } from './same-as-a-tree.js'

const RUNS = Math.ceil(Number(process.env.ESCROWFS_FUZZ_RUNS ?? 60) / 4)

// Simulates a machine where namespaces are refused.
vi.mock('../../src/terminal/containments.js', async () =>
  (await import('../support/containments.js')).refusingMachine(),
)
vi.mock('../../src/terminal/remembered-attempts.js', async () =>
  (await import('../support/containments.js')).noMemory(),
)

describe('a command on a copy', { timeout: 300_000 + RUNS * 2_000 }, () => {
  it('has the same effect on the stage as on a tree', () =>
    sameAsATree(RUNS, async (session, script) => (await session.exec(script, { isolation: 'none' })).refused))
})
