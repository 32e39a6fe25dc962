import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { DENIAL_CODES } from '../../src/core/denials.js'
import { remediesFor } from '../../src/policy/index.js'
import { compileScope } from '../../src/policy/scope.js'

const KEPT = { selectable: ['INT-001'], session: 'run-1', isKept: true }

function commandFor(path: string, reason: string, context = KEPT, intentId = 'INT-001') {
  return remediesFor([{ path, reason, intentId }], context)[0]?.command
}

describe('a remedy', () => {
  it('exists for each reason', () => {
    for (const reason of Object.keys(DENIAL_CODES)) {
      const [remedy] = remediesFor([{ path: 'a.ts', reason }], { selectable: [] })
      expect(remedy?.why, reason).not.toMatch(/The reason is/)
      expect(remedy?.advice, reason).toMatch(/\.$/)
    }
  })

  it('never asks a person to call a tool', () => {
    const refused = Object.keys(DENIAL_CODES).map((reason) => ({ path: 'a.ts', reason }))
    expect(JSON.stringify(remediesFor(refused, KEPT))).not.toMatch(/select_active_intent|\(\)/)
  })

  it('of a missing intent selects one, or declares one if there is none', () => {
    const refused = [{ path: 'src/a.ts', reason: 'missing_intent_id' }]
    const commandWith = (context: Parameters<typeof remediesFor>[1]) => remediesFor(refused, context)[0]?.command
    expect(commandWith(KEPT)).toBe('escrow quarantine run-1 --take src/a.ts --intent INT-001')
    expect(commandWith({ selectable: ['INT-001'] })).toBe('escrow use INT-001')
    expect(commandWith({ selectable: [] })).toBe("escrow intents add 'What is to be done' --scope src/a.ts")
    expect(remediesFor(refused, { selectable: ['INT-001', 'INT-002'] })[0]?.advice).toContain('Others: INT-002.')
  })

  it('of a missing intent selects one that may change the path, or widens one first', () => {
    const advise = (path: string, more: object = {}) =>
      remediesFor([{ path, reason: 'missing_intent_id' }], {
        selectable: ['INT-001', 'INT-002', 'INT-003'],
        isInScope: (id, asked) => asked.startsWith('src/') && id !== 'INT-001',
        ...more,
      })[0]
    expect(advise('src/a.ts')).toMatchObject({
      command: 'escrow use INT-002',
      advice: 'Select INT-002 for the workspace. Others: INT-003.',
    })
    expect(advise('b c.md')).toMatchObject({
      command: "escrow intents scope INT-001 --add 'b c.md' && escrow use INT-001",
      advice:
        'No open intent has this path in its scope. Add this path to the scope of INT-001. Others: INT-002, INT-003.',
    })
    expect(advise('b.md', { session: 'run-1', isKept: true })?.command).toBe(
      'escrow intents scope INT-001 --add b.md && escrow quarantine run-1 --take b.md --intent INT-001',
    )
  })

  it('of a new version of a rejected file stages the quarantined content', () => {
    expect(commandFor('src/a.ts', 'user_rejected')).toBe('escrow quarantine run-1 --take src/a.ts --intent INT-001')
  })

  it('of a rejected file quotes the reviewer, once for each reason', () => {
    const newRejection = (path: string, message: string) => ({ path, reason: 'user_rejected', message })
    const found = remediesFor(
      [
        newRejection('a', 'Use tabs.\nPlease.'),
        newRejection('b', 'Use tabs.\nPlease.'),
        newRejection('c', 'x'.repeat(200)),
      ],
      KEPT,
    )
    expect(found.map(({ paths, why }) => [paths, why])).toEqual([
      [['a', 'b'], "The agent had not seen that a person rejected its last version: 'Use tabs. Please.'"],
      [['c'], `The agent had not seen that a person rejected its last version: '${'x'.repeat(100)}…'`],
    ])
  })

  it('of a path out of scope adds only that path to the scope, then stages the quarantined content', () => {
    expect(commandFor('docs/it.md', 'scope_violation')).toBe(
      'escrow intents scope INT-001 --add docs/it.md && escrow quarantine run-1 --take docs/it.md --intent INT-001',
    )
  })

  it('distinguishes what a scope can open from what it cannot', () => {
    expect(commandFor('.npmrc', 'protected_path')).toMatch(/^escrow intents scope INT-001 --add \.npmrc/)
    expect(commandFor('.git/config', 'protected_path')).toBeUndefined()
    expect(remediesFor([{ path: '.git/config', reason: 'protected_path' }], KEPT)[0]?.why).toContain('git keeps')
  })

  it('groups by reason, intent and rule, and names directories if there are many paths', () => {
    const many = Array.from({ length: 12 }, (_, n) => ({
      ...{ path: `docs/${n % 2}/n${n}.md`, reason: 'scope_violation', intentId: 'INT-001' },
    }))
    const found = remediesFor([...many, { path: '.git', reason: 'protected_path' }], KEPT)
    expect(found.map(({ reason, paths }) => [reason, paths.length])).toEqual([
      ['scope_violation', 12],
      ['protected_path', 1],
    ])
    expect(found[0]?.command).toBe(
      "escrow intents scope INT-001 --add 'docs/0/**' 'docs/1/**' && escrow quarantine run-1 --take docs/0 docs/1 --intent INT-001",
    )
  })

  it('of a secret names the key to write in policy.yaml, and not the command that asked', () => {
    const [remedy, ...others] = remediesFor(
      ['.env', 'keys/.env.local/x', '/etc/shadow'].map((path) => ({ path, reason: 'access_denied' })),
      { selectable: [] },
    )
    expect(others).toEqual([])
    expect(remedy?.why).toBe('It may hold secrets (environment variables).')
    expect(remedy?.advice).toBe(
      'Write `access: { ".env": allow, "keys/.env.local": allow }` and `outside: { "/etc/shadow": allow }` in ' +
        ".orchestration/policy.yaml, then accept it with 'escrow trust'.",
    )
    expect(remedy?.command).toBeUndefined()
  })

  it('names the place of the rule', () => {
    const source = '.orchestration/policy.yaml:3'
    const [remedy] = remediesFor([{ path: 'a', reason: 'access_denied', source }], KEPT)
    expect(remedy?.advice).toContain(source)
  })

  it.each(['-x.ts', "it's.ts", '$(touch x).ts', 'a b.ts', 'pages/[id].tsx', 'star*.ts', 'open[.ts'])(
    'quotes %j so that a shell and a scope read it as that path',
    (path) => {
      const command = commandFor(path, 'scope_violation', { ...KEPT, isKept: false }) ?? ''
      const { stdout } = spawnSync('/bin/sh', ['-c', `set -- ${command}; printf %s "$6"`], { encoding: 'utf8' })
      expect(stdout).not.toMatch(/^-/)
      expect(compileScope([stdout]).matches(path)).toBe(true)
      expect(compileScope([stdout]).matches('other.ts')).toBe(false)
    },
  )
})
