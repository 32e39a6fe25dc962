import { rmSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { ensureGit } from '../../examples/demo/commands.js'
import { type OpenAgent, replay } from '../../examples/demo/replay.js'
import { makeReport } from '../../examples/demo/report.js'
import { readTranscripts } from '../../examples/demo/transcript.js'
import { makeWorkspace } from '../../examples/demo/workspace.js'
import { aliasModules, createRooTools } from '../../src/agents/roo/index.js'
import { HookEngine, isAddedTool, toolCatalogue, withFeedback } from '../../src/hooks/index.js'
import { openWorkspace } from '../../src/index.js'
import { fakeSession } from '../agents/roo/fake-session.js'
import { trust } from '../support/trust.js'

/**
 * Replays the demo's agents in a host whose tools do not know the session: hooks run before and after each call, and
 * the tools use the `fs` of an aliased module.
 */
function openHostedAgent(root: string): OpenAgent {
  return async (workspace, taskId) => {
    const engine = new HookEngine({ open: async () => workspace, host: 'roo' })
    const session = await engine.sessionOf(taskId, root)
    const alias = aliasModules(session, { modules: [`${root}/src`], readsAreShown: false })
    onTestFinished(() => alias.uninstall())
    const tools = createRooTools(fakeSession(alias.fs).session)
    return {
      async execute(call) {
        const input = { taskId, cwd: root, toolName: call.name, params: call.arguments }
        const { allow, error, message = '', toolResult } = await engine.runPreHook(input, 'record')
        if (!allow) return { content: JSON.stringify(error ?? message), isError: true, ...(error && { denial: error }) }
        if (toolResult !== undefined) return { content: toolResult, isError: false }
        const result = await tools.execute(call)
        const { feedback } = await engine.runPostHook(input, result.isError ? new Error(result.content) : undefined)
        return { ...result, content: withFeedback(result.content, feedback) }
      },
    }
  }
}

/** The same tools on the same `fs`, in a host without hooks, which only knows when a tool runs. */
function openUnhookedAgent(root: string): OpenAgent {
  return async (workspace, id) => {
    const session = await workspace.session({ id })
    const alias = aliasModules(session, { modules: [`${root}/src`] })
    onTestFinished(() => alias.uninstall())
    const [own, tools] = [createRooTools(session), createRooTools(fakeSession(alias.fs).session)]
    return {
      async execute(call) {
        if (isAddedTool(call.name)) return own.execute(call)
        const { kind } = catalogue.of(call.name)
        return session.toolCall({ tool: call.name, kind, id: call.id }, () => tools.execute(call))
      },
    }
  }
}

const catalogue = toolCatalogue()

interface Played {
  readonly lines: readonly string[]
  readonly isPassed: boolean
}

async function play(open: (root: string) => OpenAgent): Promise<Played> {
  ensureGit()
  const place = makeWorkspace()
  const from = process.cwd()
  const { XDG_STATE_HOME } = process.env
  process.env.XDG_STATE_HOME = place.home
  // The misdeeds follow each other directly, and nobody can be asked.
  writeFileSync(`${place.root}/.orchestration/policy.yaml`, 'gate: {breaker: 1000}\n')
  trust(place.root)
  const lines: string[] = []
  const report = makeReport((line) => lines.push(line))
  const steps = readTranscripts('examples/transcripts')
  process.chdir(place.root)
  const workspace = await openWorkspace(place.root)
  onTestFinished(async () => {
    await workspace.close()
    process.chdir(from)
    process.env.XDG_STATE_HOME = XDG_STATE_HOME
    rmSync(place.home, { recursive: true, force: true })
  })
  await replay(place, workspace, steps, report, open(place.root))
  expect((await workspace.ledger.verify()).ok).toBe(true)
  // The disk and the person's checks have the same outcomes in both cases.
  expect(lines.filter((line) => line.includes('FAILS'))).toEqual([])
  return { lines, isPassed: report.passed }
}

it('the demo’s transcripts have the same outcomes through hooks and aliased modules', async () => {
  const { lines, isPassed } = await play(openHostedAgent)
  expect(lines.filter((line) => line.includes('NOT AS STATED'))).toEqual([])
  expect(isPassed).toBe(true)
})

it('without hooks the injected fs refuses every attack of the agents', async () => {
  const { lines } = await play(openUnhookedAgent)
  // Without hooks there are no reviewer's words, and a patch is not refused before its first file.
  const missed = lines.filter((line) => line.includes('NOT AS STATED'))
  expect(missed.filter((line) => line.includes('"outcome":"denied"') || !line.includes('"outcome"'))).toEqual([])
  expect(lines.filter((line) => line.includes('denied')).length).toBeGreaterThanOrEqual(10)
})
