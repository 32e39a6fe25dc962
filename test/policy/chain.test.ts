import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Effect } from '../../src/core/decision.js'
import { access, BROKEN, denial, INTENTS, intent, MUTATORS, policyOf, registry, setUp } from './setup.js'

describe('a cached decision', () => {
  it('ends with a change of the intents, the policy or the selection', () => {
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

  it('for a read lasts a millisecond at most', () => {
    let clock = 0
    let policyState = policyOf()
    const policy = setUp({ policy: () => policyState, now: () => clock })
    expect(denial(policy, access('read', 'a'))).toBe('allow')
    policyState = policyOf('access: {a: hidden}')
    clock = 1
    expect(denial(policy, access('read', 'a'))).toMatchObject({ reason: 'hidden' })
  })

  it('is the same as a new one', () => {
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

  it('never allows a write out of scope, whatever the two names are', () => {
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
  it('report the result of each rule, up to the first denial', () => {
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
        { rule: 'secrets', verdict: 'pass' },
        { rule: 'intent', verdict: 'pass' },
        { rule: 'scope', verdict: 'deny', reason: 'scope_violation' },
      ],
    })
    expect(setUp().explain(access('put', 'src/auth/a'))).toMatchObject({ verdict: 'stage' })
    expect(setUp({ base: () => 'stale' }).explain(access('put', 'src/auth/a'))).toMatchObject({ reason: 'stale_file' })
    expect(setUp().explain(access('read', 'lib/a'))).toMatchObject({ verdict: 'allow' })
  })

  it('agree with decide, also if a rule throws', () => {
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

  it('mark what a reviewer should see first', () => {
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
