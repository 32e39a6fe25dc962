import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fileOf, rechain } from '../trace/support.js'
import { ownRepository } from './kit.js'

/** A branch with a rewritten ledger: another approver, and a person named as the author of an agent's change. */

const LEDGER = '.orchestration/agent_trace.jsonl'

const victim = ownRepository(async (owner) => {
  await owner.trust()
  const calls = [['src/a.ts', 'export const a = 2\n']] as const
  expect(await owner.runAgent({ id: 'mine', intent: 'INT-001', calls, after: 'commit' })).toEqual([
    'done',
    'done',
    'done',
  ])
  owner.git('add', '-A')
  owner.git('commit', '-q', '-m', 'work')
  owner.git('tag', 'honest')
  const lines = (owner.text(LEDGER) ?? '').split('\n').slice(0, -1)
  const forged = lines.map((line) =>
    line.replaceAll('"Ada"', '"Grace"').replaceAll('"type":"ai"', '"type":"human"').replaceAll('"AI"', '"HUMAN"'),
  )
  expect(forged).not.toEqual(lines)
  owner.git('checkout', '-q', '-b', 'hostile')
  owner.write(LEDGER, fileOf(rechain(forged, 0)))
  owner.git('commit', '-q', '-a', '-m', 'forged')
  owner.git('checkout', '-q', 'main')
})

/** Ways to check a ledger out. Each returns the root of the tree that has it. */
const CHECKOUTS: readonly (readonly [name: string, prepare: (branch: string) => string])[] = [
  [
    'on a branch',
    (branch) => {
      victim().git('checkout', '-q', branch)
      return victim().root
    },
  ],
  [
    'with a detached head',
    (branch) => {
      victim().git('checkout', '-q', '--detach', branch)
      return victim().root
    },
  ],
  [
    'after git branch -m',
    (branch) => {
      victim().git('checkout', '-q', '-B', 'kept', 'honest')
      victim().git('reset', '-q', '--hard', branch)
      victim().git('branch', '-M', 'kept', 'renamed')
      return victim().root
    },
  ],
  [
    'in another worktree',
    (branch) => {
      const tree = `${victim().dir}/tree-${branch}`
      if (!existsSync(tree)) victim().git('worktree', 'add', '-q', '--detach', tree, branch)
      return tree
    },
  ],
]

describe.each(CHECKOUTS)('a rewritten ledger %s', (_, prepare) => {
  it('fails escrow verify, which counts the records without an anchor', async () => {
    const { code, all } = await victim().escrow('verify', { cwd: prepare('hostile') })
    expect([code, all]).toEqual([3, expect.stringMatching(/\d.*anchor|anchor.*\d/is)])
  })

  it.each(['blame src/a.ts', 'status'])('is reported by escrow %s', async (line) => {
    const { all } = await victim().escrow(line, { cwd: prepare('hostile') })
    expect(all).toMatch(/anchor/i)
  })

  it('passes escrow verify when the honest ledger is checked out', async () => {
    const { code, all } = await victim().escrow('verify', { cwd: prepare('honest') })
    expect([code, all]).toEqual([0, expect.stringContaining('anchored up to number')])
  })
})
