import { mkdirSync } from 'node:fs'
import { answerClaude } from '../../../src/agents/claude/index.js'
import { answerCline, type ClineAnswer } from '../../../src/agents/cline/index.js'
import { answerCodex } from '../../../src/agents/codex/index.js'
import { answerGemini } from '../../../src/agents/gemini/index.js'
import { answerOpencode } from '../../../src/agents/opencode/index.js'
import { type TestWorkspace, testWorkspace } from '../../support/workspace.js'

const NAMED = `active_intent_id: INT-001
active_intents:
  - {id: INT-001, name: Prices, status: IN_PROGRESS, owned_scope: ["src/**"]}
  - {id: INT-002, name: Mail, status: PENDING, owned_scope: ["mail/**"]}
`

export interface HookSetup {
  readonly project: TestWorkspace
  /** Sends an event of Claude Code. Returns its answer, decision and denial record. */
  claude(event: string, more?: Record<string, unknown>): Promise<ClaudeResult>
  codex(event: string, more?: Fields): Promise<Fields>
  gemini(event: string, more?: Fields): Promise<Fields>
  opencode(event: string, more?: Fields): Promise<Fields>
  cline(tool: string, parameters?: Record<string, unknown>, dialect?: 'extension' | 'sdk'): Promise<ClineAnswer>
}

type Fields = Readonly<Record<string, unknown>>

export interface ClaudeResult {
  readonly answer: Readonly<Record<string, unknown>>
  readonly output: Readonly<Record<string, unknown>>
  readonly decision: unknown
  readonly record: Readonly<Record<string, unknown>>
}

export interface SetupOptions {
  /** The hook runs inside of a session's mount. */
  readonly isStaged?: boolean
  readonly intents?: string
  readonly policy?: string
  readonly env?: NodeJS.ProcessEnv
}

/** A workspace, and hooks that judge events in it. */
export function setUpHooks({ isStaged = false, intents = NAMED, policy, env = {} }: SetupOptions = {}): HookSetup {
  const project = testWorkspace(undefined, intents)
  mkdirSync(`${project.root}/.git`)
  if (policy !== undefined) project.write('.orchestration/policy.yaml', policy)
  const more = { env, cwd: project.root, isInMount: () => isStaged }
  const eventText = (hook_event_name: string, rest: Fields) =>
    JSON.stringify({ session_id: 'c1', cwd: project.root, hook_event_name, ...rest })
  return {
    project,
    codex: async (event, rest = {}) => fieldsOf(await answerCodex(eventText(event, rest), more)),
    gemini: async (event, rest = {}) => fieldsOf(await answerGemini(eventText(event, rest), more)),
    opencode: async (event, rest = {}) =>
      fieldsOf(
        await answerOpencode(JSON.stringify({ event, sessionID: 'c1', directory: project.root, ...rest }), more),
      ),
    async claude(event, rest = {}) {
      const answer = await answerClaude(eventText(event, rest), more)
      const output = fieldsOf(answer.hookSpecificOutput)
      const { permissionDecision: decision, permissionDecisionReason: why } = output
      return { answer, output, decision, record: decision === 'deny' ? fieldsOf(JSON.parse(String(why))) : {} }
    },
    cline(tool, parameters = {}, dialect = 'extension') {
      const about = { taskId: 't1', workspaceRoots: [project.root] }
      const event =
        dialect === 'extension'
          ? { ...about, hookName: 'PreToolUse', preToolUse: { toolName: tool, parameters } }
          : { ...about, hookName: 'tool_call', tool_call: { id: 'x', name: tool, input: parameters } }
      return answerCline(JSON.stringify(event), more)
    },
  }
}

export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}

/** A tool call as Claude Code sends it. */
export const call = (tool_name: string, tool_input: Record<string, unknown>) => ({
  tool_name,
  tool_input,
  tool_use_id: 'u1',
})
