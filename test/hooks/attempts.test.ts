import type nodeFs from 'node:fs'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { describe, expect, it, onTestFinished } from 'vitest'
import { answerClaude } from '../../src/agents/claude/index.js'
import { answerCline } from '../../src/agents/cline/index.js'
import { aliasModules, createRooTools } from '../../src/agents/roo/index.js'
import {
  enforceToolSecurityPreHook,
  HookEngine,
  preExecutionHook,
  runTool,
  standardHooks,
} from '../../src/hooks/index.js'
import { openWorkspace, type Session, type Workspace } from '../../src/index.js'
import { tempDir } from '../support/facade.js'
import { metadataOf, type TestWorkspace } from '../support/workspace.js'
import { ATTEMPTS, type Attempt, attemptsWorkspace } from './attempts.js'

/**
 * The same attempts through every route: plain `fs`, each style of the hooks, the Roo tools, a host's aliased modules. The decision, its reason and its
 * ledger record must not depend on the route. Routes of other clients are tested with their adapters.
 */
const ID = 'agent'

interface Setup {
  readonly project: TestWorkspace
  readonly workspace: Workspace
  readonly session: Session
  readonly engine: HookEngine
  /** The `fs` that a host's module gets, by each of its four names. */
  readonly aliased: { readonly fs: typeof nodeFs; readonly promises: typeof nodeFs.promises }
}

async function setUp(): Promise<Setup> {
  const project = attemptsWorkspace()
  const workspace = await openWorkspace(project.root, { durability: 'memory' })
  // The test itself flushes after each attempt.
  const engine = new HookEngine({ open: async () => workspace, hooks: { pre: standardHooks().pre, post: [] } })
  onTestFinished(() => engine.close())
  const session = await workspace.session({ id: ID })
  return { project, workspace, session, engine, aliased: hostModule(session, project.root) }
}

/** A host's bundle, loaded with an aliased `require`, and run in the workspace. */
function hostModule(session: Session, root: string): Setup['aliased'] {
  const { path, dispose } = tempDir()
  writeFileSync(`${path}/bundle.cjs`, `exports.fs = require('fs')\nexports.promises = require('node:fs/promises')`)
  const alias = aliasModules(session, { modules: [path] })
  const from = process.cwd()
  process.chdir(root)
  onTestFinished(() => {
    process.chdir(from)
    alias.uninstall()
    dispose()
  })
  return createRequire(import.meta.url)(`${path}/bundle.cjs`)
}

function params({ tool, path }: Attempt): Record<string, unknown> {
  if (tool === 'select_active_intent') return { intent_id: path }
  if (tool === 'write_to_file') return { path, content: 'x\n' }
  return { patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` }
}

/** Does the work as a host's tool does. */
async function work({ session }: Setup, { tool, path }: Attempt): Promise<void> {
  if (tool === 'select_active_intent') await session.selectIntent(path)
  else if (tool === 'write_to_file') session.fs.writeFileSync(path, 'x\n')
  else session.fs.unlinkSync(path)
}

/** Does the same work as a host's bundle does, through its own `require('fs')`. */
async function aliasedWork({ session, aliased }: Setup, { tool, path }: Attempt): Promise<void> {
  if (tool === 'select_active_intent') await session.selectIntent(path)
  else if (tool === 'write_to_file') await aliased.promises.writeFile(path, 'x\n')
  else aliased.fs.unlinkSync(path)
}

const input = (s: Setup, attempt: Attempt) => {
  return { taskId: ID, cwd: s.project.root, toolName: attempt.tool, params: params(attempt) }
}

async function succeeds(run: () => Promise<unknown>): Promise<boolean> {
  return run().then(
    () => true,
    () => false,
  )
}

/** A host that calls the pre-hook, works if allowed, and calls the post-hook. */
async function runWithPreAndPost(
  s: Setup,
  attempt: Attempt,
  ask: () => Promise<'run' | 'answered' | 'refused'>,
  run = work,
): Promise<boolean> {
  const answer = await ask()
  const done = answer === 'run' ? await succeeds(() => run(s, attempt)) : answer === 'answered'
  await s.engine.runPostHook({ taskId: ID })
  return done
}

type Route = (s: Setup, attempt: Attempt) => Promise<boolean>

const ROUTES: Record<string, Route> = {
  'plain fs': (s, attempt) => succeeds(() => work(s, attempt)),
  runTool: async (s, attempt) => {
    const use = { name: attempt.tool, args: params(attempt) }
    return (await runTool(s.session, use, () => work(s, attempt))).status === 'done'
  },
  'Roo tools': async (s, attempt) => {
    const call = { id: 'c', name: attempt.tool, arguments: params(attempt) }
    return !(await createRooTools(s.session).execute(call)).isError
  },
  runWithHooks: async (s, attempt) => {
    const result = await s.engine.runWithHooks(input(s, attempt), () => work(s, attempt)).catch(() => undefined)
    return result?.allow === true
  },
  runPreHook: (s, attempt) =>
    runWithPreAndPost(s, attempt, async () => {
      const { allow, toolResult } = await s.engine.runPreHook(input(s, attempt))
      return allow ? (toolResult === undefined ? 'run' : 'answered') : 'refused'
    }),
  executePreHooks: (s, attempt) =>
    runWithPreAndPost(s, attempt, async () => {
      if (await s.engine.executePreHooks(attempt.tool, input(s, attempt))) return 'refused'
      return attempt.tool === 'select_active_intent' ? 'answered' : 'run'
    }),
  preExecutionHook: (s, attempt) =>
    runWithPreAndPost(s, attempt, async () => {
      const call = { cwd: s.project.root, toolName: attempt.tool, toolArgs: params(attempt), taskId: ID }
      const { kind } = await preExecutionHook(call, s.engine)
      return kind === 'continue' ? 'run' : kind === 'handled' ? 'answered' : 'refused'
    }),
  'base tool': (s, attempt) =>
    runWithPreAndPost(s, attempt, async () => {
      const pushed: string[] = []
      if (await enforceToolSecurityPreHook(s.engine, input(s, attempt), (text) => pushed.push(text))) return 'run'
      return pushed.some((text) => text.startsWith('{"type":"tool_error"')) ? 'refused' : 'answered'
    }),
  'aliased modules, in a call that names no path': (s, attempt) =>
    succeeds(() => s.session.toolCall({ tool: attempt.tool, kind: 'edit' }, () => aliasedWork(s, attempt))),
  'aliased modules, in a call between its hooks': (s, attempt) =>
    runWithPreAndPost(
      s,
      attempt,
      async () => {
        const { allow, toolResult } = await s.engine.runPreHook(input(s, attempt))
        return allow ? (toolResult === undefined ? 'run' : 'answered') : 'refused'
      },
      aliasedWork,
    ),
}

/** The dependencies of a hook process inside of a session's mount. */
const hookDeps = ({ session, project }: Setup) => {
  const env = { ESCROW_SESSION: ID, ...(session.intent && { ESCROW_INTENT_ID: session.intent.id }) }
  return { env, cwd: project.root, isInMount: () => true }
}

const claudeHook: Route = (s, attempt) =>
  runWithPreAndPost(s, attempt, async () => {
    const common = { session_id: 'c', cwd: s.project.root, hook_event_name: 'PreToolUse', tool_use_id: 'u' }
    const call = { tool_name: 'Write', tool_input: { file_path: attempt.path, content: 'x\n' } }
    const { hookSpecificOutput: output } = await answerClaude(JSON.stringify({ ...common, ...call }), hookDeps(s))
    return JSON.stringify(output).includes('"deny"') ? 'refused' : 'run'
  })

const clineHook: Route = (s, attempt) =>
  runWithPreAndPost(s, attempt, async () => {
    const isPatch = attempt.tool === 'apply_patch'
    const { patch, ...others } = params(attempt)
    const preToolUse = { toolName: attempt.tool, parameters: isPatch ? { input: patch } : others }
    const event = { hookName: 'PreToolUse', taskId: 'c', workspaceRoots: [s.project.root], preToolUse }
    return (await answerCline(JSON.stringify(event), hookDeps(s))).cancel ? 'refused' : 'run'
  })

/** Routes that judge a call and let the mount stage it. The selected intent and the questions to people belong to the mount. */
const HOOK_PROCESSES: Record<string, readonly [door: Route, takes: (attempt: Attempt) => boolean]> = {
  'Claude Code’s hook': [claudeHook, ({ tool }) => tool === 'write_to_file'],
  'Cline’s hook': [clineHook, ({ tool }) => tool !== 'select_active_intent'],
}

/** Outside of tool calls a host's module may use these paths: they are outside of the workspace. */
const OUTSIDE = ['../outside.txt', '/etc/escrow-test']

/** The outcome of each attempt: whether it succeeded, its staged changes and its denials in the ledger. */
async function outcomes(route: Route, attempts: readonly Attempt[] = ATTEMPTS): Promise<Map<string, unknown>> {
  const s = await setUp()
  const found = new Map<string, unknown>()
  let seen = 0
  for (const attempt of attempts) {
    if ((s.session.intent?.id ?? null) !== attempt.intent) await s.session.selectIntent(attempt.intent)
    const done = await route(s, attempt)
    const staged = (await s.session.changes()).changes.map(({ path, kind }) => `${kind} ${path}`)
    await s.session.flush()
    const ledger = s.project.text('.orchestration/agent_trace.jsonl')
    const lines = ledger.slice(seen).split('\n').filter(Boolean)
    seen = ledger.length
    const denied = lines.map((line) => metadataOf(JSON.parse(line))).filter(({ type }) => type === 'denied')
    const news = denied.map(({ reason, path, words }) => [reason, path, words])
    found.set(`${attempt.tool} ${attempt.path} under ${attempt.intent}`, { done, staged, denied: news })
    await s.session.revert()
  }
  return found
}

describe('aliased modules outside of tool calls', () => {
  it('decide as plain fs does for every path of the workspace', async () => {
    const inside = (found: Map<string, unknown>) =>
      [...found].filter(([attempt]) => !OUTSIDE.some((path) => attempt.includes(` ${path} `)))
    const [plain, through] = [
      await outcomes(ROUTES['plain fs'] ?? expect.unreachable()),
      await outcomes((s, attempt) =>
        'path' in attempt && OUTSIDE.includes(attempt.path)
          ? Promise.resolve(false)
          : succeeds(() => aliasedWork(s, attempt)),
      ),
    ]
    expect(inside(through)).toEqual(inside(plain))
    expect(inside(through).length).toBeGreaterThan(60)
  })
})

describe('every route', () => {
  let measured: Promise<Map<string, unknown>> | undefined
  /** The outcomes of plain fs, computed by the first test that needs them. */
  const plainOutcomes = () => {
    measured ??= outcomes(ROUTES['plain fs'] ?? expect.unreachable())
    return measured
  }

  it('plain fs, the reference, has enough attempts of each kind', async () => {
    const plain = await plainOutcomes()
    const all = [...plain.values()] as { done: boolean; staged: string[]; denied: [string][] }[]
    expect(all.length).toBeGreaterThan(60)
    expect(all.filter(({ done }) => done).length).toBeGreaterThan(15)
    const reasons = new Set(all.flatMap(({ denied }) => denied.map(([reason]) => reason)))
    expect([...reasons].sort()).toEqual(
      [
        ...['access_denied', 'hidden', 'intent_not_active', 'missing_intent_id', 'needs_approval', 'path_escape'],
        ...['protected_path', 'scope_violation', 'unknown_intent'],
      ].sort(),
    )
  })

  it.each(Object.keys(ROUTES).slice(1))(
    '%s decides the same, for the same reason, with the same record',
    async (name) => {
      const plain = await plainOutcomes()
      const through = await outcomes(ROUTES[name] ?? expect.unreachable())
      const differing = [...through].filter(
        ([attempt, outcome]) => JSON.stringify(outcome) !== JSON.stringify(plain.get(attempt)),
      )
      expect(
        differing.map(([attempt, outcome]) => ({ deed: attempt, plain: plain.get(attempt), through: outcome })),
      ).toEqual([])
    },
  )

  it.each(Object.keys(HOOK_PROCESSES))('%s decides the same for each attempt that it can judge', async (name) => {
    const [route, takes] = HOOK_PROCESSES[name] ?? expect.unreachable()
    const attempts = ATTEMPTS.filter(takes)
    const plain = await plainOutcomes()
    const through = await outcomes(route, attempts)
    const differing = [...through].filter(
      ([attempt, outcome]) => JSON.stringify(outcome) !== JSON.stringify(plain.get(attempt)),
    )
    expect(
      differing.map(([attempt, outcome]) => ({ deed: attempt, plain: plain.get(attempt), through: outcome })),
    ).toEqual([])
    expect(through.size).toBeGreaterThan(40)
  })
})
