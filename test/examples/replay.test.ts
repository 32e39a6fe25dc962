import { rmSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { ensureGit } from '../../examples/demo/commands.js'
import { type OpenAgent, replay } from '../../examples/demo/replay.js'
import { makeReport } from '../../examples/demo/report.js'
import { readTranscripts } from '../../examples/demo/transcript.js'
import { makeWorkspace } from '../../examples/demo/workspace.js'
import { aliasModules, createRooTools } from '../../src/agents/roo/index.js'
import { HookEngine, withFeedback } from '../../src/hooks/index.js'
import { openWorkspace } from '../../src/index.js'
import { fakeSession } from '../agents/roo/fake-session.js'

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

it('the demo’s transcripts have the same outcomes through hooks and aliased modules', async () => {
  ensureGit()
  const place = makeWorkspace()
  const from = process.cwd()
  const { XDG_STATE_HOME } = process.env
  process.env.XDG_STATE_HOME = place.home
  // The misdeeds come in a row, and nobody is there to be asked.
  writeFileSync(`${place.root}/.orchestration/policy.yaml`, 'gate: {breaker: 1000}\n')
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
  await replay(place, workspace, steps, report, hosted(place.root))
  expect(lines.filter((line) => line.includes('NOT AS STATED'))).toEqual([])
  expect(report.passed).toBe(true)
  expect((await workspace.ledger.verify()).ok).toBe(true)
})
