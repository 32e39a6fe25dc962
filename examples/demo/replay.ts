import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRooTools, type RooTools } from '../../src/agents/roo/index.js'
import type { Workspace } from '../../src/index.js'
import { escrow } from './commands.js'
import type { Report } from './report.js'
import type { AgentStep, PersonStep, Step } from './transcript.js'
import { type DemoWorkspace, diskState, editOnDisk } from './workspace.js'

/**
 * Replays the transcripts: each agent's tool calls on its session, the person's edits on disk and `escrow` commands.
 * Between two acts of the person the disk must not change.
 */
export async function replay(
  place: DemoWorkspace,
  workspace: Workspace,
  steps: Step[][],
  report: Report,
  open: OpenAgent = openTools,
): Promise<void> {
  const agents = new Map<string, Agent>()
  for (const step of steps.flat())
    if ('agent' in step && !agents.has(step.agent)) agents.set(step.agent, await open(workspace, step.agent))
  let disk = diskState(place)
  for (const group of steps) {
    const calls = group.filter((step) => 'agent' in step)
    await Promise.all(calls.map((step) => playCall(agents.get(step.agent), step, report)))
    for (const step of group) {
      if ('agent' in step) continue
      report.check(diskState(place) === disk, 'Nothing has reached the disk since the person last acted')
      await playPerson(place, step, report)
      disk = diskState(place)
    }
  }
  report.check(diskState(place) === disk, 'Nothing has reached the disk since the person last acted')
}

/** Executes an agent's calls. */
export type Agent = Pick<RooTools, 'execute'>
export type OpenAgent = (workspace: Workspace, name: string) => Promise<Agent>

async function openTools(workspace: Workspace, name: string): Promise<Agent> {
  return createRooTools(await workspace.session({ id: name, agent: { tool: 'roo-code', model: 'replayed' } }))
}

async function playCall(tools: Agent | undefined, step: AgentStep, report: Report): Promise<void> {
  if (tools === undefined) throw new Error(`No session for ${step.agent}.`)
  const started = performance.now()
  const result = await tools.execute({ id: step.id, name: step.tool, arguments: step.arguments })
  const milliseconds = performance.now() - started
  const outcome = result.denial !== undefined ? 'denied' : result.isError ? 'error' : 'ok'
  const { expect } = step
  const isAsExpected =
    outcome === expect.outcome &&
    (expect.reason === undefined || result.denial?.reason === expect.reason) &&
    (expect.contains === undefined || result.content.includes(expect.contains))
  report.call({ step, result, outcome, milliseconds, isAsExpected: isAsExpected })
}

async function playPerson(place: DemoWorkspace, step: PersonStep, report: Report): Promise<void> {
  if (step.person === 'edit-on-disk') {
    editOnDisk(place.root, step.path, step.replace)
    report.person(`edits ${step.path} on the disk`, '', true)
  } else if (step.person === 'escrow') {
    const { status, stdout, stderr } = await escrow(place, step.arguments)
    const { exit, contains } = step.expect
    const isAsExpected = status === exit && (contains === undefined || stdout.includes(contains))
    report.person(`escrow ${step.arguments.map(quote).join(' ')}`, stdout + stderr, isAsExpected)
  } else {
    const file = join(place.root, step.path)
    const content = existsSync(file) ? readFileSync(file, 'utf8') : ''
    const found = step.contains === undefined || content.includes(step.contains)
    report.check(found && (step.lacks === undefined || !content.includes(step.lacks)), describeDiskCheck(step))
  }
}

function describeDiskCheck(step: { path: string; contains?: string | undefined; lacks?: string | undefined }): string {
  const has = step.contains === undefined ? [] : [`has '${step.contains}'`]
  const lacks = step.lacks === undefined ? [] : [`has no '${step.lacks}'`]
  return `On the disk ${step.path} ${[...has, ...lacks].join(' and ')}`
}

function quote(argument: string): string {
  return /^[\w./=-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`
}
