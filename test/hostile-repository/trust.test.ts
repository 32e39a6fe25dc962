import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { damage, hostileRepository, INTENTS, type Machine, OWN_WRITES, pictureOf } from './kit.js'

/** Policy and intents of a branch ask for more than the person has trusted: until then nothing of it holds. */

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

/** A clone of a branch the person trusts, then a pull of another. */
async function pulled(from: string, to: string): Promise<Machine> {
  const victim = clone(from)
  await victim.trust()
  victim.git('merge', '-q', `origin/${to}`)
  return victim
}

/** What an agent gets of what the branch loosens. */
async function loosened(victim: Machine): Promise<{ secret: boolean; wide: boolean }> {
  victim.write('.env', SECRET)
  const calls = [['.env'], ['tests/t.ts', NEW]] as const
  const [, secret, wide] = await victim.agent({ id: 'mine', intent: 'INT-001', calls })
  return { secret: secret === SECRET, wide: wide === 'done' }
}

const NOTHING = { secret: false, wide: false }
const ALL = { secret: true, wide: true }

describe('a policy and intents that loosen', () => {
  it('hold in a fresh clone once a person trusts them, and not before', async () => {
    const victim = clone('loosened')
    expect(await loosened(victim)).toEqual(NOTHING)
    expect((await victim.trust()).code).toBe(0)
    expect(await loosened(victim)).toEqual(ALL)
  })

  it('hold after a pull once a person trusts them, and not before', async () => {
    const victim = await pulled('main', 'loosened')
    expect(await loosened(victim)).toEqual(NOTHING)
    expect((await victim.trust()).code).toBe(0)
    expect(await loosened(victim)).toEqual(ALL)
  })

  it('hold after a checkout by hand no more than after a pull', async () => {
    const victim = clone('main')
    await victim.trust()
    victim.git('checkout', '-q', 'loosened')
    expect(await loosened(victim)).toEqual(NOTHING)
  })

  it('are not trusted by an agent', async () => {
    const victim = await pulled('main', 'loosened')
    const { code } = await victim.escrow('trust --yes', { terminal: true, env: { ESCROW_SESSION: 'mine' } })
    expect(code).toBe(1)
    expect(await loosened(victim)).toEqual(NOTHING)
  })

  it.each(['status', 'intents'])('are shown by escrow %s, with what trusts them', async (line) => {
    const victim = await pulled('main', 'loosened')
    const { all } = await victim.escrow(line)
    expect(all).toContain('escrow trust')
  })
})

it('an .intentignore that frees all paths frees none before a person trusts it', async () => {
  const victim = await pulled('main', 'free')
  const work = { id: 'mine', calls: [['src/b.ts', NEW]] } as const
  expect((await victim.agent(work))[1]).toContain('refused')
  expect((await victim.trust()).code).toBe(0)
  expect((await victim.agent(work))[1]).toBe('done')
})

it('an intent nobody here has trusted cannot be selected in a fresh clone', async () => {
  const victim = clone('main')
  const work = { id: 'mine', intent: 'INT-001', calls: [['src/b.ts', NEW]] } as const
  expect((await victim.agent(work))[0]).toContain('refused')
  expect((await victim.trust()).code).toBe(0)
  expect(await victim.agent(work)).toEqual(['done', 'done'])
})

it('a policy that only tightens holds at once', async () => {
  const victim = await pulled('main', 'tighter')
  const outcomes = await victim.agent({ id: 'mine', intent: 'INT-001', calls: [['src/b.ts', NEW]] })
  expect(outcomes.at(-1)).toContain('refused')
})

it('a pull that takes `approval: {by: person}` away lets no program decide', async () => {
  const victim = await pulled('guarded', 'unguarded')
  await victim.agent({ id: 'mine', intent: 'INT-001', calls: [['src/b.ts', NEW]] })
  const before = pictureOf(victim)
  expect((await victim.escrow('approve mine')).code).toBe(1)
  await victim.escrow('commit mine')
  expect(damage(before, victim, OWN_WRITES)).toEqual([])
})

describe('a formatter of the branch, where nothing can contain it', () => {
  const work = { id: 'mine', intent: 'INT-001', calls: [['src/b.ts', NEW]], bare: true } as const
  const hasRun = (victim: Machine) => existsSync(join(victim.dir, 'home/ran'))

  it('does not run in a fresh clone', async () => {
    const victim = clone('runs')
    await victim.agent(work)
    expect(hasRun(victim)).toBe(false)
  })

  it('runs after a pull once a person trusts it, and not before', async () => {
    const victim = await pulled('main', 'runs')
    await victim.agent(work)
    expect(hasRun(victim)).toBe(false)
    expect((await victim.trust()).code).toBe(0)
    await victim.agent(work)
    expect(hasRun(victim)).toBe(true)
  })
})
