import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Intent, IntentStatus } from '../../src/core/api.js'
import type { Access, Effect } from '../../src/core/decision.js'
import { DENIAL_CODES, denialError } from '../../src/core/denials.js'
import type { IntentsState } from '../../src/core/intents-state.js'
import type { ToolContext } from '../../src/core/tool-context.js'
import { createPolicy, type PolicyDeps } from '../../src/policy/chain.js'
import type { PolicyState } from '../../src/policy/policy-file.js'
import { readPolicy } from '../../src/policy/policy-read.js'

function intent(id: string, status: IntentStatus, ownedScope: string[] = []): Intent {
  return { id, name: id, status, ownedScope, constraints: [], acceptanceCriteria: [], dependsOn: [] }
}

function registry(...intents: Intent[]): IntentsState {
  return { ok: true, version: 1, intents: new Map(intents.map((each) => [each.id, each])) }
}

function policyOf(text = '{}'): PolicyState {
  const { rules, problem } = readPolicy('/ws', { kind: 'bytes', bytes: Buffer.from(text) })
  if (!rules || problem) throw new Error(problem?.message)
  return { ok: true, version: 1, rules }
}

const BROKEN = {
  ok: false,
  version: 2,
  file: 'f',
  line: 3,
  column: 5,
  message: 'Policy Invalid: f, line 3, column 5: wrong.',
} as const
const ROO: ToolContext = { tool: 'write_to_file', callId: '1', kind: 'edit', host: 'roo' }

const INTENTS = registry(
  intent('INT-001', 'IN_PROGRESS', ['src/auth/**', 'src/app/page.ts', '!src/auth/secret/**']),
  intent('INT-002', 'PENDING'),
  intent('INT-003', 'COMPLETED'),
  intent('INT-004', 'BLOCKED'),
)

function setUp(over: Partial<PolicyDeps> = {}) {
  const policyState = policyOf()
  const deps: PolicyDeps = {
    intents: () => INTENTS,
    activeIntentId: () => 'INT-001',
    policy: () => policyState,
    base: () => 'fresh',
    ...over,
  }
  return createPolicy(deps)
}

const access = (effect: Effect, path: string, more: Partial<Access> = {}): Access => ({
  effect,
  path,
  asked: path,
  ...more,
})

function denial(policy: ReturnType<typeof setUp>, asked: Access) {
  const decision = policy.decide(asked)
  return decision.verdict === 'deny' ? decision.denial : decision.verdict
}

const MUTATORS: Effect[] = ['put', 'mkdir', 'remove', 'move', 'link', 'symlink', 'setattr']

describe('every reason: its message and its code', () => {
  it('missing_intent_id', () => {
    const found = denial(setUp({ activeIntentId: () => undefined }), access('put', 'src/auth/a.ts'))
    expect(found).toEqual({
      reason: 'missing_intent_id',
      file: 'src/auth/a.ts',
      message:
        'You must cite a valid active Intent ID. Call select_active_intent first before using destructive tools.',
      hint: 'Intents: INT-001, INT-002.',
    })
    expect(DENIAL_CODES.missing_intent_id).toBe('EACCES')
  })

  it('missing_intent_id, in a workspace that declares none, with a hint', () => {
    const none: IntentsState = { ok: false, version: 1, reason: 'no_orchestration', file: 'f', message: 'm' }
    const found = denial(setUp({ intents: () => none, activeIntentId: () => undefined }), access('put', 'a'))
    expect(found).toMatchObject({ reason: 'missing_intent_id', hint: expect.stringContaining('escrow init') })
  })

  it.each([
    [
      'INT-009',
      'unknown_intent',
      'Unknown Intent: INT-009 is not declared in .orchestration/active_intents.yaml. Intents that can be selected: INT-001, INT-002.',
    ],
    [
      'INT-003',
      'intent_not_active',
      'Intent Not Active: INT-003 is COMPLETED. Intents that can be selected: INT-001, INT-002.',
    ],
    [
      'INT-004',
      'intent_not_active',
      'Intent Not Active: INT-004 is BLOCKED. Intents that can be selected: INT-001, INT-002.',
    ],
  ])('%s: %s', (id, reason, message) => {
    expect(denial(setUp({ activeIntentId: () => id }), access('put', 'a'))).toMatchObject({
      reason,
      message,
      intentId: id,
    })
  })

  it('scope_violation, as Node would throw it', () => {
    const found = denial(setUp(), access('put', 'src/billing/invoice.ts'))
    expect(found).toEqual({
      reason: 'scope_violation',
      intentId: 'INT-001',
      file: 'src/billing/invoice.ts',
      message: 'Scope Violation: INT-001 is not authorized to edit src/billing/invoice.ts. Request scope expansion.',
    })
    if (typeof found === 'string') throw new Error(found)
    expect(denialError(found, 'open', '/x')).toMatchObject({
      code: 'EACCES',
      message:
        "EACCES: Scope Violation: INT-001 is not authorized to edit src/billing/invoice.ts. Request scope expansion., open '/x'",
    })
  })

  it('protected_path names both', () => {
    expect(denial(setUp(), access('put', '.git/config', { asked: 'src/auth/x' }))).toMatchObject({
      reason: 'protected_path',
      message:
        'Protected Path: src/auth/x (resolved to .git/config) cannot be written by an agent: git keeps its own data and hooks there.',
    })
  })

  it('path_escape names both', () => {
    expect(denial(setUp(), access('put', '/etc/passwd', { asked: 'src/auth/x' }))).toMatchObject({
      reason: 'path_escape',
      message: 'Path Escape: src/auth/x (resolved to /etc/passwd) is outside the workspace.',
    })
    expect(denial(setUp(), access('symlink', 'src/auth/x', { target: '/etc' }))).toMatchObject({
      reason: 'path_escape',
      message: 'Path Escape: src/auth/x would point to /etc, outside the workspace.',
    })
  })

  it.each([
    ['read-only', 'access_denied', 'Access Denied: src/auth/a is read-only by the rule `src/auth`.'],
    ['deny', 'access_denied', 'Access Denied: src/auth/a is closed to agents by the rule `src/auth`.'],
    ['ask', 'needs_approval', "Needs Approval: writing src/auth/a needs a person's approval by the rule `src/auth`."],
    ['hidden', 'hidden', 'No such file or directory.'],
  ])('%s: %s', (word, reason, message) => {
    const state = policyOf(`access: {src/auth: ${word}}`)
    expect(denial(setUp({ policy: () => state }), access('put', 'src/auth/a'))).toMatchObject({ reason, message })
  })

  it('stale_file', () => {
    expect(denial(setUp({ base: () => 'stale' }), access('put', 'src/auth/a.ts'))).toEqual({
      reason: 'stale_file',
      intentId: 'INT-001',
      file: 'src/auth/a.ts',
      message: 'Stale File: src/auth/a.ts changed on disk since you read it. Read it again, then retry.',
    })
  })

  it('policy_invalid, from either file', () => {
    const intents: IntentsState = { ...BROKEN, reason: 'policy_invalid' }
    for (const policy of [setUp({ policy: () => BROKEN }), setUp({ intents: () => intents })]) {
      expect(denial(policy, access('put', 'src/auth/a'))).toMatchObject({
        reason: 'policy_invalid',
        message: BROKEN.message,
      })
    }
  })

  it('names the tool', () => {
    const policy = setUp({ tool: () => ROO })
    expect(denial(policy, access('put', 'other'))).toMatchObject({ reason: 'scope_violation', tool: 'write_to_file' })
  })
})

describe('writes', () => {
  it.each(MUTATORS)('%s in scope is staged, out of it denied', (effect) => {
    expect(denial(setUp(), access(effect, 'src/auth/a.ts'))).toBe('stage')
    expect(denial(setUp(), access(effect, 'lib/a.ts'))).toMatchObject({ reason: 'scope_violation' })
    expect(denial(setUp(), access(effect, 'src/auth/secret/a'))).toMatchObject({ reason: 'scope_violation' })
  })

  it('need both names in scope', () => {
    expect(denial(setUp(), access('put', 'lib/a.ts', { asked: 'src/auth/a.ts' }))).toMatchObject({ file: 'lib/a.ts' })
    expect(denial(setUp(), access('put', 'src/auth/a.ts', { asked: 'lib/a.ts' }))).toMatchObject({ file: 'lib/a.ts' })
  })

  it('judge the other name of a hard link, and the place a symlink points to', () => {
    expect(denial(setUp(), access('link', 'src/auth/b', { target: 'lib/a' }))).toMatchObject({
      reason: 'scope_violation',
    })
    expect(denial(setUp(), access('link', 'src/auth/b', { target: '.git/config' }))).toMatchObject({
      reason: 'protected_path',
    })
    expect(denial(setUp(), access('symlink', 'src/auth/b', { target: '.git/config' }))).toMatchObject({
      reason: 'protected_path',
    })
    expect(denial(setUp(), access('symlink', 'src/auth/b', { target: '../elsewhere' }))).toMatchObject({
      reason: 'path_escape',
    })
    expect(denial(setUp(), access('symlink', 'src/auth/b', { target: 'src/auth/a' }))).toBe('stage')
  })

  it('may make the directories that lead to the scope, and no others', () => {
    for (const path of ['src', 'src/auth', 'src/app', 'src/auth/new'])
      expect(denial(setUp(), access('mkdir', path))).toBe('stage')
    for (const path of ['lib', 'src/other', 'src/app/page.ts/x']) {
      expect(denial(setUp(), access('mkdir', path))).toMatchObject({ reason: 'scope_violation' })
    }
    expect(denial(setUp(), access('remove', 'src'))).toMatchObject({ reason: 'scope_violation' })
  })

  it('in Roo, and only there, a mkdir is not denied for want of scope or intent', () => {
    const roo = setUp({ tool: () => ROO, activeIntentId: () => undefined })
    expect(denial(roo, access('mkdir', 'lib'))).toBe('stage')
    expect(denial(roo, access('put', 'lib/a'))).toMatchObject({ reason: 'missing_intent_id' })
    expect(denial(roo, access('mkdir', '.git/hooks'))).toMatchObject({ reason: 'protected_path' })
    expect(denial(roo, access('mkdir', '/tmp/x'))).toMatchObject({ reason: 'path_escape' })
    const other = setUp({ tool: () => ({ tool: 't', callId: '1', kind: 'edit' }) })
    expect(denial(other, access('mkdir', 'lib'))).toMatchObject({ reason: 'scope_violation' })
  })

  it('ask the content lock last, and not for a directory', () => {
    const asked: string[] = []
    const base = (path: string) => {
      asked.push(path)
      return 'stale' as const
    }
    const policy = setUp({ base })
    policy.decide(access('put', 'lib/a'))
    policy.decide(access('mkdir', 'src/auth/d'))
    policy.decide(access('read', 'src/auth/a'))
    expect(asked).toEqual([])
    for (const effect of MUTATORS) policy.decide(access(effect, 'src/auth/a'))
    expect(asked).toHaveLength(MUTATORS.length - 1)
  })

  it('reach a protected name only where the scope spells it out', () => {
    const named = registry(intent('INT-001', 'IN_PROGRESS', ['.vscode/settings.json', 'pkg/**', '.git/**']))
    const policy = setUp({ intents: () => named })
    expect(denial(policy, access('put', '.vscode/settings.json'))).toBe('stage')
    expect(denial(policy, access('mkdir', '.vscode'))).toBe('stage')
    expect(denial(policy, access('put', '.vscode/tasks.json'))).toMatchObject({
      reason: 'protected_path',
      hint: expect.stringContaining('owned_scope'),
    })
    expect(denial(policy, access('put', 'pkg/AGENTS.md'))).toMatchObject({ reason: 'protected_path' })
    expect(denial(policy, access('put', '.git/config'))).toMatchObject({ reason: 'protected_path' })
  })

  it('cannot beat what the person protects', () => {
    const state = policyOf('protected: [src/auth/keys]\naccess: {src/auth/keys: allow}')
    expect(denial(setUp({ policy: () => state }), access('put', 'src/auth/keys/a'))).toMatchObject({
      reason: 'protected_path',
      message: expect.stringContaining("the person's rule `src/auth/keys`"),
    })
  })

  it('are denied where a rule throws', () => {
    const fail = () => {
      throw new Error('boom')
    }
    for (const over of [{ intents: fail }, { policy: fail }, { base: fail }, { activeIntentId: fail }]) {
      expect(denial(setUp(over), access('put', 'src/auth/a'))).toMatchObject({
        reason: 'policy_invalid',
        message: expect.stringContaining('boom'),
      })
    }
    expect(denial(setUp({ tool: fail }), access('mkdir', 'src'))).toMatchObject({ reason: 'policy_invalid' })
  })
})

describe('reads', () => {
  it('need no intent, inside and outside', () => {
    const policy = setUp({ activeIntentId: () => undefined })
    for (const path of [
      '',
      'lib/a',
      '.git/config',
      '.orchestration/active_intents.yaml',
      '.orchestration',
      '/etc/hosts',
    ]) {
      expect(denial(policy, access('read', path))).toBe('allow')
    }
  })

  it.each(['sessions/a/pack', 'tx', 'commits/1', 'ledger.d/1', 'locks', 'Sessions/a'])(
    'hide .orchestration/%s',
    (path) => {
      for (const name of [`.orchestration/${path}`, `.ORCHESTRATION/${path}`, `.orches\u200ctration/${path}`]) {
        expect(denial(setUp(), access('read', name))).toMatchObject({ reason: 'hidden' })
        expect(denial(setUp(), access('read', name, { asked: 'link' }))).toMatchObject({
          reason: 'hidden',
          file: 'link',
        })
      }
    },
  )

  it('obey the access rules', () => {
    const state = policyOf('access: {a: deny, b: hidden, c: read-only, d: ask}\noutside: {/etc/ssh: deny}')
    const policy = setUp({ policy: () => state })
    expect(denial(policy, access('read', 'a/x'))).toMatchObject({ reason: 'access_denied' })
    expect(denial(policy, access('read', 'b/x'))).toMatchObject({ reason: 'hidden' })
    expect(denial(policy, access('read', 'c/x'))).toBe('allow')
    expect(denial(policy, access('read', 'd/x'))).toBe('allow')
    expect(denial(policy, access('read', 'b/x', { asked: 'link' }))).toMatchObject({ reason: 'hidden', file: 'link' })
    expect(denial(policy, access('read', '/etc/ssh/key', { asked: 'link' }))).toMatchObject({
      reason: 'access_denied',
      hint: expect.stringContaining('`outside`'),
    })
  })

  it('are refused while nobody can say what is secret', () => {
    expect(denial(setUp({ policy: () => BROKEN }), access('read', 'a'))).toMatchObject({ reason: 'policy_invalid' })
    const state = policyOf('access: {b: hidden}')
    const salvaged: PolicyState = { ...BROKEN, ...(state.ok && { readRules: state.rules }) }
    expect(denial(setUp({ policy: () => salvaged }), access('read', 'a'))).toBe('allow')
    expect(denial(setUp({ policy: () => salvaged }), access('read', 'b'))).toMatchObject({ reason: 'hidden' })
  })
})

describe('what is remembered', () => {
  it('never outlives a change of the intents, the policy or the selection', () => {
    let intents = INTENTS
    let active: string | undefined = 'INT-001'
    let policyState = policyOf()
    const policy = setUp({ intents: () => intents, activeIntentId: () => active, policy: () => policyState })
    const put = () => denial(policy, access('put', 'src/auth/a'))
    expect(put()).toBe('stage')
    expect(put()).toBe('stage')
    intents = registry(intent('INT-001', 'COMPLETED', ['src/auth/**']))
    expect(put()).toMatchObject({ reason: 'intent_not_active' })
    intents = registry(intent('INT-001', 'IN_PROGRESS', ['lib/**']))
    expect(put()).toMatchObject({ reason: 'scope_violation' })
    intents = INTENTS
    expect(put()).toBe('stage')
    policyState = policyOf('access: {src: read-only}')
    expect(put()).toMatchObject({ reason: 'access_denied' })
    policyState = policyOf()
    active = undefined
    expect(put()).toMatchObject({ reason: 'missing_intent_id' })
  })

  it('for reads holds a millisecond at most', () => {
    let clock = 0
    let policyState = policyOf()
    const policy = setUp({ policy: () => policyState, now: () => clock })
    expect(denial(policy, access('read', 'a'))).toBe('allow')
    policyState = policyOf('access: {a: hidden}')
    clock = 1
    expect(denial(policy, access('read', 'a'))).toMatchObject({ reason: 'hidden' })
  })

  it('changes no decision: a used policy answers as a new one', () => {
    const used = setUp()
    const name = fc.constantFrom('src/auth/a', 'src', 'lib', '.git/x', '/etc/x', 'src/auth/secret/k', '.vscode/x', '')
    fc.assert(
      fc.property(
        fc.constantFrom(...MUTATORS, 'read' as const),
        name,
        name,
        fc.option(name, { nil: undefined }),
        (effect, path, asked, target) => {
          const one = access(effect, path, { asked, ...(target !== undefined && { target }) })
          expect(used.decide(one)).toEqual(setUp().decide(one))
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('lets no write out of the scope, whatever the two names are', () => {
    const segment = fc.constantFrom('src', 'auth', 'secret', 'lib', '.git', '..', 'SRC', '.vscode', 'a')
    const name = fc.array(segment, { maxLength: 4 }).map((all) => all.join('/'))
    const inScope = (path: string) => /^src\/auth(\/|$)/.test(path) && !/^src\/auth\/secret(\/|$)/.test(path)
    fc.assert(
      fc.property(fc.constantFrom<Effect>('put', 'remove', 'move', 'setattr'), name, name, (effect, path, asked) => {
        if (setUp().decide({ effect, path, asked }).verdict !== 'stage') return
        for (const each of [path, asked])
          expect([each, inScope(each) && !/\.git|\.vscode/.test(each)]).toEqual([each, true])
      }),
      { numRuns: 3000 },
    )
  })
})

describe('explain and flags', () => {
  it('tells what each rule says, to the first denial', () => {
    expect(setUp().explain(access('put', 'lib/a'))).toMatchObject({
      path: 'lib/a',
      verdict: 'deny',
      reason: 'scope_violation',
      rules: [
        { rule: 'containment', verdict: 'pass' },
        { rule: 'protected', verdict: 'pass' },
        { rule: 'policy file', verdict: 'pass' },
        { rule: 'intents file', verdict: 'pass' },
        { rule: 'access', verdict: 'pass' },
        { rule: 'intent', verdict: 'pass' },
        { rule: 'scope', verdict: 'deny', reason: 'scope_violation' },
      ],
    })
    expect(setUp().explain(access('put', 'src/auth/a'))).toMatchObject({ verdict: 'stage' })
    expect(setUp({ base: () => 'stale' }).explain(access('put', 'src/auth/a'))).toMatchObject({ reason: 'stale_file' })
    expect(setUp().explain(access('read', 'lib/a'))).toMatchObject({ verdict: 'allow' })
  })

  it('agrees with decide, also where a rule throws', () => {
    const throws = () => {
      throw new Error('boom')
    }
    for (const over of [{}, { intents: throws }, { policy: () => BROKEN }, { activeIntentId: () => undefined }]) {
      for (const effect of [...MUTATORS, 'read' as const]) {
        const one = access(effect, 'src/auth/a')
        const found = denial(setUp(over), one)
        expect(setUp(over).explain(one).reason).toBe(typeof found === 'string' ? undefined : found.reason)
      }
    }
  })

  it('flags what a reviewer should see first', () => {
    const state = policyOf('protected: [docs]')
    const policy = setUp({ policy: () => state })
    expect(policy.flags('src/auth/a')).toEqual([])
    expect(policy.flags('lib/a')).toEqual(['out-of-scope'])
    expect(policy.flags('lib/a', 'INT-009')).toEqual([])
    expect(policy.flags('.vscode/a')).toEqual(['protected', 'out-of-scope'])
    expect(policy.flags('package.json')).toEqual(['highlight', 'out-of-scope'])
    expect(policy.flags('docs/a')).toEqual(['protected', 'out-of-scope'])
    expect(setUp({ activeIntentId: () => undefined }).flags('lib/a')).toEqual([])
  })
})
