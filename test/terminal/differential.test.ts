import { setTimeout as wait } from 'node:timers/promises'
import { describe, it } from 'vitest'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { sameAsATree } from './same-as-a-tree.js'

const RUNS = Number(process.env.ESCROWFS_FUZZ_RUNS ?? 60)

describe.each(PROVIDERS)('a command in %s', { timeout: 300_000 + RUNS * 2_000 }, (provider) => {
  withProvider(provider)
  // A copy takes longer, and all providers find its effects in one way.
  const runs = provider === 'namespace-overlay' ? RUNS : Math.ceil(RUNS / 4)

  it('has the same effect on the stage in exec as on a tree', () =>
    sameAsATree(runs, async (session, script) => (await session.exec(script)).refused))

  it('has the same effect if it is ingested while it runs', () =>
    sameAsATree(Math.ceil(runs / 8), async (session, script) => {
      const command = await session.start(script)
      for (; command.state === 'running'; await wait(2)) await command.ingest()
      return (await command.wait()).refused
    }))
})
