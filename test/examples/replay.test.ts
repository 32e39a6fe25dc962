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
 * The demo's agents, played by a host whose tools know nothing of a session: hooks before and after each call, and between
 * them the tools at work on the `fs` that an aliased module has.
 */
function hosted(root: string): OpenAgent {
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

/** The same tools on the same `fs`, by a host that has never heard of hooks: it knows when a tool runs, and nothing else. */
function unhooked(root: string): OpenAgent {
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
  readonly passed: boolean
}

async function play(open: (root: string) => OpenAgent): Promise<Played> {
  ensureGit()
  const place = makeWorkspace()
  const from = process.cwd()
  const { XDG_STATE_HOME } = process.env
  process.env.XDG_STATE_HOME = place.home
  // The misdeeds come in a row, and nobody is there to be asked.
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
  // What reached the disk, and what the person saw there, is as it should be either way.
  expect(lines.filter((line) => line.includes('FAILS'))).toEqual([])
  return { lines, passed: report.passed }
}

it('the demo’s transcripts have the same outcomes through hooks and aliased modules', async () => {
  const { lines, passed } = await play(hosted)
  expect(lines.filter((line) => line.includes('NOT AS STATED'))).toEqual([])
  expect(passed).toBe(true)
})

it('without any hook the injected fs refuses every misdeed of theirs', async () => {
  const { lines } = await play(unhooked)
  // What hooks add is not there: a reviewer's words, and a refusal of a patch before its first file.
  const missed = lines.filter((line) => line.includes('NOT AS STATED'))
  expect(missed.filter((line) => line.includes('"outcome":"denied"') || !line.includes('"outcome"'))).toEqual([])
  expect(lines.filter((line) => line.includes('denied')).length).toBeGreaterThanOrEqual(10)
})
