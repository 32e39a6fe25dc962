import type { Intent, IntentStatus } from '../../src/core/api.js'
import type { Access, Effect } from '../../src/core/decision.js'
import type { IntentsState } from '../../src/core/intents-state.js'
import type { ToolContext } from '../../src/core/tool-context.js'
import { createPolicy, type PolicyDeps } from '../../src/policy/chain.js'
import type { PolicyState } from '../../src/policy/policy-file.js'
import { readPolicy } from '../../src/policy/policy-read.js'

export function intent(id: string, status: IntentStatus, ownedScope: string[] = []): Intent {
  return { id, name: id, status, ownedScope, constraints: [], acceptanceCriteria: [], checks: [], dependsOn: [] }
}

export function registry(...intents: Intent[]): IntentsState {
  return { ok: true, version: 1, intents: new Map(intents.map((each) => [each.id, each])) }
}

export function policyOf(text = '{}'): PolicyState {
  const { rules, problem } = readPolicy('/ws', { kind: 'bytes', bytes: Buffer.from(text) })
  if (!rules || problem) throw new Error(problem?.message)
  return { ok: true, version: 1, rules }
}

export const BROKEN = {
  ok: false,
  version: 2,
  file: 'f',
  line: 3,
  column: 5,
  message: 'Policy Invalid: f, line 3, column 5: wrong.',
} as const
export const ROO: ToolContext = { tool: 'write_to_file', callId: '1', kind: 'edit', host: 'roo' }

export const INTENTS = registry(
  intent('INT-001', 'IN_PROGRESS', ['src/auth/**', 'src/app/page.ts', '!src/auth/secret/**']),
  intent('INT-002', 'PENDING'),
  intent('INT-003', 'COMPLETED'),
  intent('INT-004', 'BLOCKED'),
)

export function setUp(over: Partial<PolicyDeps> = {}) {
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

export const access = (effect: Effect, path: string, more: Partial<Access> = {}): Access => ({
  effect,
  path,
  asked: path,
  ...more,
})

export function denial(policy: ReturnType<typeof setUp>, access: Access) {
  const decision = policy.decide(access)
  return decision.verdict === 'deny' ? decision.denial : decision.verdict
}

export const MUTATORS: Effect[] = ['put', 'mkdir', 'remove', 'move', 'link', 'symlink', 'setattr']
