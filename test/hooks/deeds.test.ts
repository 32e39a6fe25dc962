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
import { own, type TestWorkspace } from '../support/workspace.js'
import { DEEDS, type Deed, deedsPlace } from './deed-table.js'

/**
 * The same deeds through every door: plain `fs`, each style of the hooks, the Roo tools, a host's aliased modules. A decision, its reason and its
 * record in the ledger must not depend on the door. The doors of clients elsewhere are with their adapters.
 */
const ID = 'agent'

interface Stand {
  readonly place: TestWorkspace
  readonly workspace: Workspace
  readonly session: Session
  readonly engine: HookEngine
  /** What a host's module has for `fs`, in its four names' two kinds. */
  readonly aliased: { readonly fs: typeof nodeFs; readonly promises: typeof nodeFs.promises }
}

async function stand(): Promise<Stand> {
  const place = deedsPlace()
  const workspace = await openWorkspace(place.root, { durability: 'memory' })
  // The test itself flushes after each deed.
  const engine = new HookEngine({ open: async () => workspace, hooks: { pre: standardHooks().pre, post: [] } })
  onTestFinished(() => engine.close())
  const session = await workspace.session({ id: ID })
  return { place, workspace, session, engine, aliased: hostModule(session, place.root) }
}

/** A bundle of a host's, loaded where its `require` is aliased, and run in the workspace. */
function hostModule(session: Session, root: string): Stand['aliased'] {
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

function params({ tool, path }: Deed): Record<string, unknown> {
  if (tool === 'select_active_intent') return { intent_id: path }
  if (tool === 'write_to_file') return { path, content: 'x\n' }
  return { patch: `*** Begin Patch\n*** Delete File: ${path}\n*** End Patch` }
}

/** The work itself, as a host's tool does it. */
async function work({ session }: Stand, { tool, path }: Deed): Promise<void> {
  if (tool === 'select_active_intent') await session.selectIntent(path)
  else if (tool === 'write_to_file') session.fs.writeFileSync(path, 'x\n')
  else session.fs.unlinkSync(path)
}

/** The same work, as a host's bundle does it by its own `require('fs')`. */
async function aliasedWork({ session, aliased }: Stand, { tool, path }: Deed): Promise<void> {
  if (tool === 'select_active_intent') await session.selectIntent(path)
  else if (tool === 'write_to_file') await aliased.promises.writeFile(path, 'x\n')
  else aliased.fs.unlinkSync(path)
}

const input = (s: Stand, deed: Deed) => {
  return { taskId: ID, cwd: s.place.root, toolName: deed.tool, params: params(deed) }
}

async function succeeds(run: () => Promise<unknown>): Promise<boolean> {
  return run().then(
    () => true,
    () => false,
  )
}

/** A host that asks first, does the work if it may, and tells when it is done. */
async function asked(
  s: Stand,
  deed: Deed,
  ask: () => Promise<'run' | 'answered' | 'refused'>,
  run = work,
): Promise<boolean> {
  const answer = await ask()
  const done = answer === 'run' ? await succeeds(() => run(s, deed)) : answer === 'answered'
  await s.engine.runPostHook({ taskId: ID })
  return done
}

type Door = (s: Stand, deed: Deed) => Promise<boolean>

const DOORS: Record<string, Door> = {
  'plain fs': (s, deed) => succeeds(() => work(s, deed)),
  runTool: async (s, deed) => {
    const use = { name: deed.tool, args: params(deed) }
    return (await runTool(s.session, use, () => work(s, deed))).status === 'done'
  },
  'Roo tools': async (s, deed) => {
    const call = { id: 'c', name: deed.tool, arguments: params(deed) }
    return !(await createRooTools(s.session).execute(call)).isError
  },
  runWithHooks: async (s, deed) => {
    const result = await s.engine.runWithHooks(input(s, deed), () => work(s, deed)).catch(() => undefined)
    return result?.allow === true
  },
  runPreHook: (s, deed) =>
    asked(s, deed, async () => {
      const { allow, toolResult } = await s.engine.runPreHook(input(s, deed))
      return allow ? (toolResult === undefined ? 'run' : 'answered') : 'refused'
    }),
  executePreHooks: (s, deed) =>
    asked(s, deed, async () => {
      if (await s.engine.executePreHooks(deed.tool, input(s, deed))) return 'refused'
      return deed.tool === 'select_active_intent' ? 'answered' : 'run'
    }),
  preExecutionHook: (s, deed) =>
    asked(s, deed, async () => {
      const call = { cwd: s.place.root, toolName: deed.tool, toolArgs: params(deed), taskId: ID }
      const { kind } = await preExecutionHook(call, s.engine)
      return kind === 'continue' ? 'run' : kind === 'handled' ? 'answered' : 'refused'
    }),
  'base tool': (s, deed) =>
    asked(s, deed, async () => {
      const pushed: string[] = []
      if (await enforceToolSecurityPreHook(s.engine, input(s, deed), (text) => pushed.push(text))) return 'run'
      return pushed.some((text) => text.startsWith('{"type":"tool_error"')) ? 'refused' : 'answered'
    }),
  'aliased modules, in a call that names no path': (s, deed) =>
    succeeds(() => s.session.toolCall({ tool: deed.tool, kind: 'edit' }, () => aliasedWork(s, deed))),
  'aliased modules, in a call between its hooks': (s, deed) =>
    asked(
      s,
      deed,
      async () => {
        const { allow, toolResult } = await s.engine.runPreHook(input(s, deed))
        return allow ? (toolResult === undefined ? 'run' : 'answered') : 'refused'
      },
      aliasedWork,
    ),
}

/** What a hook process goes by inside of a session's mount. */
const hookDeps = ({ session, place }: Stand) => {
  const env = { ESCROW_SESSION: ID, ...(session.intent && { ESCROW_INTENT_ID: session.intent.id }) }
  return { env, cwd: place.root, isInMount: () => true }
}

const claudeHook: Door = (s, deed) =>
  asked(s, deed, async () => {
    const told = { session_id: 'c', cwd: s.place.root, hook_event_name: 'PreToolUse', tool_use_id: 'u' }
    const call = { tool_name: 'Write', tool_input: { file_path: deed.path, content: 'x\n' } }
    const { hookSpecificOutput: output } = await answerClaude(JSON.stringify({ ...told, ...call }), hookDeps(s))
    return JSON.stringify(output).includes('"deny"') ? 'refused' : 'run'
  })

const clineHook: Door = (s, deed) =>
  asked(s, deed, async () => {
    const isPatch = deed.tool === 'apply_patch'
    const { patch, ...others } = params(deed)
    const preToolUse = { toolName: deed.tool, parameters: isPatch ? { input: patch } : others }
    const event = { hookName: 'PreToolUse', taskId: 'c', workspaceRoots: [s.place.root], preToolUse }
    return (await answerCline(JSON.stringify(event), hookDeps(s))).cancel ? 'refused' : 'run'
  })

/** Doors that judge and let the mount stage. Which intent is selected, and what a person is asked, is the mount's own. */
const HOOK_PROCESSES: Record<string, readonly [door: Door, takes: (deed: Deed) => boolean]> = {
  'Claude Code’s hook': [claudeHook, ({ tool }) => tool === 'write_to_file'],
  'Cline’s hook': [clineHook, ({ tool }) => tool !== 'select_active_intent'],
}

/** Outside of any call a host's module is on its own outside of the workspace; inside it is not. */
const OUTSIDE = ['../outside.txt', '/etc/escrow-test']

/** What became of each deed: whether it was done, what is staged by it, and what the ledger says was denied. */
async function outcomes(door: Door, deeds: readonly Deed[] = DEEDS): Promise<Map<string, unknown>> {
  const s = await stand()
  const found = new Map<string, unknown>()
  let seen = 0
  for (const deed of deeds) {
    if ((s.session.intent?.id ?? null) !== deed.intent) await s.session.selectIntent(deed.intent)
    const done = await door(s, deed)
    const staged = (await s.session.changes()).changes.map(({ path, kind }) => `${kind} ${path}`)
    await s.session.flush()
    const ledger = s.place.text('.orchestration/agent_trace.jsonl')
    const lines = ledger.slice(seen).split('\n').filter(Boolean)
    seen = ledger.length
    const denied = lines.map((line) => own(JSON.parse(line))).filter(({ type }) => type === 'denied')
    const news = denied.map(({ reason, path, words }) => [reason, path, words])
    found.set(`${deed.tool} ${deed.path} under ${deed.intent}`, { done, staged, denied: news })
    await s.session.revert()
  }
  return found
}

describe('aliased modules outside of any call', () => {
  it('decide as plain fs does for every path of the workspace', async () => {
    const inside = (found: Map<string, unknown>) =>
      [...found].filter(([deed]) => !OUTSIDE.some((path) => deed.includes(` ${path} `)))
    const [plain, through] = [
      await outcomes(DOORS['plain fs'] ?? expect.unreachable()),
      await outcomes((s, deed) =>
        'path' in deed && OUTSIDE.includes(deed.path) ? Promise.resolve(false) : succeeds(() => aliasedWork(s, deed)),
      ),
    ]
    expect(inside(through)).toEqual(inside(plain))
    expect(inside(through).length).toBeGreaterThan(60)
  })
})

describe('every door', () => {
  let measured: Promise<Map<string, unknown>> | undefined
  /** What plain fs makes of each deed, by whichever test asks first. */
  const plainly = () => {
    measured ??= outcomes(DOORS['plain fs'] ?? expect.unreachable())
    return measured
  }

  it('of plain fs is the measure: enough deeds of each kind', async () => {
    const plain = await plainly()
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

  it.each(Object.keys(DOORS).slice(1))(
    'of %s decides the same, for the same reason, with the same record',
    async (name) => {
      const plain = await plainly()
      const through = await outcomes(DOORS[name] ?? expect.unreachable())
      const differing = [...through].filter(
        ([deed, outcome]) => JSON.stringify(outcome) !== JSON.stringify(plain.get(deed)),
      )
      expect(differing.map(([deed, outcome]) => ({ deed, plain: plain.get(deed), through: outcome }))).toEqual([])
    },
  )

  it.each(Object.keys(HOOK_PROCESSES))('of %s does too, for each deed it can be asked about', async (name) => {
    const [door, takes] = HOOK_PROCESSES[name] ?? expect.unreachable()
    const deeds = DEEDS.filter(takes)
    const plain = await plainly()
    const through = await outcomes(door, deeds)
    const differing = [...through].filter(
      ([deed, outcome]) => JSON.stringify(outcome) !== JSON.stringify(plain.get(deed)),
    )
    expect(differing.map(([deed, outcome]) => ({ deed, plain: plain.get(deed), through: outcome }))).toEqual([])
    expect(through.size).toBeGreaterThan(40)
  })
})
