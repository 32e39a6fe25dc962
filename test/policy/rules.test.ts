import { describe, expect, it } from 'vitest'
import { DENIAL_CODES, denialError } from '../../src/core/denials.js'
import type { IntentsState } from '../../src/core/intents-state.js'
import type { PolicyState } from '../../src/policy/policy-file.js'
import { access, BROKEN, denial, intent, MUTATORS, policyOf, ROO, registry, setUp } from './setup.js'

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

  it('protected_path names the path and the protection', () => {
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
    ['ask', 'needs_approval', 'Needs Approval: the rule `src/auth` asks a person before src/auth/a is written.'],
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

  it('judge the other name of a hard link, and the target of a symlink', () => {
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

  it('may create the directories that lead to the scope, and no others', () => {
    for (const path of ['src', 'src/auth', 'src/app', 'src/auth/new'])
      expect(denial(setUp(), access('mkdir', path))).toBe('stage')
    for (const path of ['lib', 'src/other', 'src/app/page.ts/x']) {
      expect(denial(setUp(), access('mkdir', path))).toMatchObject({ reason: 'scope_violation' })
    }
    expect(denial(setUp(), access('remove', 'src'))).toMatchObject({ reason: 'scope_violation' })
  })

  it('in Roo, and only there, allow a mkdir without an intent or out of scope', () => {
    const roo = setUp({ tool: () => ROO, activeIntentId: () => undefined })
    expect(denial(roo, access('mkdir', 'lib'))).toBe('stage')
    expect(denial(roo, access('put', 'lib/a'))).toMatchObject({ reason: 'missing_intent_id' })
    expect(denial(roo, access('mkdir', '.git/hooks'))).toMatchObject({ reason: 'protected_path' })
    expect(denial(roo, access('mkdir', '/tmp/x'))).toMatchObject({ reason: 'path_escape' })
    const other = setUp({ tool: () => ({ tool: 't', callId: '1', kind: 'edit' }) })
    expect(denial(other, access('mkdir', 'lib'))).toMatchObject({ reason: 'scope_violation' })
  })

  it('check the content lock last, and not for a directory', () => {
    const queries: string[] = []
    const base = (path: string) => {
      queries.push(path)
      return 'stale' as const
    }
    const policy = setUp({ base })
    policy.decide(access('put', 'lib/a'))
    policy.decide(access('mkdir', 'src/auth/d'))
    policy.decide(access('read', 'src/auth/a'))
    expect(queries).toEqual([])
    for (const effect of MUTATORS) policy.decide(access(effect, 'src/auth/a'))
    expect(queries).toHaveLength(MUTATORS.length - 1)
  })

  it('need a scope that names a protected path literally', () => {
    const intents = registry(intent('INT-001', 'IN_PROGRESS', ['.vscode/settings.json', 'pkg/**', '.git/**']))
    const policy = setUp({ intents: () => intents })
    expect(denial(policy, access('put', '.vscode/settings.json'))).toBe('stage')
    expect(denial(policy, access('mkdir', '.vscode'))).toBe('stage')
    expect(denial(policy, access('mkdir', 'pkg/.vscode'))).toMatchObject({ reason: 'protected_path' })
    expect(denial(policy, access('put', '.vscode/tasks.json'))).toMatchObject({
      reason: 'protected_path',
      hint: expect.stringContaining('owned_scope'),
    })
    expect(denial(policy, access('put', 'pkg/AGENTS.md'))).toMatchObject({ reason: 'protected_path' })
    expect(denial(policy, access('put', '.git/config'))).toMatchObject({ reason: 'protected_path' })
  })

  it('cannot override `protected` in policy.yaml', () => {
    const state = policyOf('protected: [src/auth/keys]\naccess: {src/auth/keys: allow}')
    expect(denial(setUp({ policy: () => state }), access('put', 'src/auth/keys/a'))).toMatchObject({
      reason: 'protected_path',
      message: expect.stringContaining('the rule `src/auth/keys` in policy.yaml'),
    })
  })

  it('are denied if a rule throws', () => {
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

  it('follow the access rules', () => {
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

  it('are refused while the secret paths are unknown', () => {
    expect(denial(setUp({ policy: () => BROKEN }), access('read', 'a'))).toMatchObject({ reason: 'policy_invalid' })
    const state = policyOf('access: {b: hidden}')
    const salvaged: PolicyState = { ...BROKEN, ...(state.ok && { readRules: state.rules }) }
    expect(denial(setUp({ policy: () => salvaged }), access('read', 'a'))).toBe('allow')
    expect(denial(setUp({ policy: () => salvaged }), access('read', 'b'))).toMatchObject({ reason: 'hidden' })
  })
})
