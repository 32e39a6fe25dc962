import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hostileRepository, INTENTS, type Machine, OWN_WRITES, snapshotOf, unexpectedChanges } from './kit.js'

/** Policy and intents of a branch that loosen what a person has trusted. They have no effect until the person trusts them. */

const SECRET = 'TOKEN=t0p\n'
const NEW = 'export const b = 1\n'

const clone = hostileRepository((attacker) => {
  attacker.write('tests/t.ts', '')
  attacker.commit()
  const branch = (name: string, from: string, files: Readonly<Record<string, string>>) => {
    attacker.git('checkout', '-q', '-b', name, from)
    for (const [path, text] of Object.entries(files)) attacker.write(path, text)
    attacker.commit()
  }
  const policy = (text: string) => ({ '.orchestration/policy.yaml': `${text}\n` })
  branch('loosened', 'main', {
    ...policy('access: {".env": allow}'),
    '.orchestration/active_intents.yaml': INTENTS.replace('src/**', '**'),
  })
  branch('free', 'main', { '.intentignore': '*\n' })
  branch('tighter', 'main', policy('access: {"src/**": deny}'))
  branch('guarded', 'main', policy('approval: {by: person}'))
  branch('unguarded', 'guarded', policy('access: {}'))
  branch('runs', 'main', policy('terminal: {isolation_none: true}\nformat: {"*.ts": "touch \\"$HOME/ran\\"; true"}'))
  attacker.git('checkout', '-q', 'main')
})

/** Clones a branch, trusts it, and merges another one. */
async function cloneAndMerge(from: string, to: string): Promise<Machine> {
  const victim = clone(from)
  await victim.trust()
  victim.git('merge', '-q', `origin/${to}`)
  return victim
}

/** Lets an agent read a secret and write outside the scope, as the branch `loosened` allows. */
async function tryLoosened(victim: Machine): Promise<{ secret: boolean; wide: boolean }> {
  victim.write('.env', SECRET)
  const calls = [['.env'], ['tests/t.ts', NEW]] as const
  const [, secret, wide] = await victim.runAgent({ id: 'mine', intent: 'INT-001', calls })
  return { secret: secret === SECRET, wide: wide === 'done' }
}

const NOTHING = { secret: false, wide: false }
const ALL = { secret: true, wide: true }

describe('a policy and intents that loosen restrictions', () => {
  it('take effect in a fresh clone only after a person trusts them', async () => {
    const victim = clone('loosened')
    expect(await tryLoosened(victim)).toEqual(NOTHING)
    expect((await victim.trust()).code).toBe(0)
    expect(await tryLoosened(victim)).toEqual(ALL)
  })

  it('take effect after a pull only after a person trusts them', async () => {
    const victim = await cloneAndMerge('main', 'loosened')
    expect(await tryLoosened(victim)).toEqual(NOTHING)
    expect((await victim.trust()).code).toBe(0)
    expect(await tryLoosened(victim)).toEqual(ALL)
  })

  it('do not take effect after a manual checkout', async () => {
    const victim = clone('main')
    await victim.trust()
    victim.git('checkout', '-q', 'loosened')
    expect(await tryLoosened(victim)).toEqual(NOTHING)
  })

  it('cannot be trusted by an agent', async () => {
    const victim = await cloneAndMerge('main', 'loosened')
    const { code } = await victim.escrow('trust --yes', { terminal: true, env: { ESCROW_SESSION: 'mine' } })
    expect(code).toBe(1)
    expect(await tryLoosened(victim)).toEqual(NOTHING)
  })

  it.each(['status', 'intents'])('are reported by escrow %s, with the command that trusts them', async (line) => {
    const victim = await cloneAndMerge('main', 'loosened')
    const { all } = await victim.escrow(line)
    expect(all).toContain('escrow trust')
  })
})

it('an .intentignore that exempts all paths has no effect until a person trusts it', async () => {
  const victim = await cloneAndMerge('main', 'free')
  const work = { id: 'mine', calls: [['src/b.ts', NEW]] } as const
  expect((await victim.runAgent(work))[1]).toContain('refused')
  expect((await victim.trust()).code).toBe(0)
  expect((await victim.runAgent(work))[1]).toBe('done')
})

it('an untrusted intent cannot be selected in a fresh clone', async () => {
  const victim = clone('main')
  const work = { id: 'mine', intent: 'INT-001', calls: [['src/b.ts', NEW]] } as const
  expect((await victim.runAgent(work))[0]).toContain('refused')
  expect((await victim.trust()).code).toBe(0)
  expect(await victim.runAgent(work)).toEqual(['done', 'done'])
})

it('a policy that only tightens takes effect at once', async () => {
  const victim = await cloneAndMerge('main', 'tighter')
  const outcomes = await victim.runAgent({ id: 'mine', intent: 'INT-001', calls: [['src/b.ts', NEW]] })
  expect(outcomes.at(-1)).toContain('refused')
})

it('a pull that removes `approval: {by: person}` does not let a program approve', async () => {
  const victim = await cloneAndMerge('guarded', 'unguarded')
  await victim.runAgent({ id: 'mine', intent: 'INT-001', calls: [['src/b.ts', NEW]] })
  const before = snapshotOf(victim)
  expect((await victim.escrow('approve mine')).code).toBe(1)
  await victim.escrow('commit mine')
  expect(unexpectedChanges(before, victim, OWN_WRITES)).toEqual([])
})

describe('a formatter of the branch on a machine without containment', () => {
  const work = { id: 'mine', intent: 'INT-001', calls: [['src/b.ts', NEW]], uncontained: true } as const
  const hasRun = (victim: Machine) => existsSync(join(victim.dir, 'home/ran'))

  it('does not run in a fresh clone', async () => {
    const victim = clone('runs')
    await victim.runAgent(work)
    expect(hasRun(victim)).toBe(false)
  })

  it('runs after a pull only after a person trusts it', async () => {
    const victim = await cloneAndMerge('main', 'runs')
    await victim.runAgent(work)
    expect(hasRun(victim)).toBe(false)
    expect((await victim.trust()).code).toBe(0)
    await victim.runAgent(work)
    expect(hasRun(victim)).toBe(true)
  })
})
