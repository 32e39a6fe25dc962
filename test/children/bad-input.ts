/**
 * Runs typical work in each workspace, and prints the outcome of each step, a line of JSON for each workspace: ROOT …
 */
import { writeSync } from 'node:fs'
import { denialOf, openWorkspace, type Workspace } from '../../src/index.js'

type Outcome = readonly [step: string, outcome: string]

/** The reason and message of an error. An error without a reason is marked as UNNAMED. */
function describeError(error: unknown): string {
  const reason = denialOf(error)?.reason ?? (error instanceof Error ? Reflect.get(error, 'reason') : undefined)
  const message = error instanceof Error ? error.message : String(error)
  return reason === undefined ? `UNNAMED ${message}` : `${String(reason)} ${message}`
}

async function runSteps(root: string): Promise<Outcome[]> {
  const done: Outcome[] = []
  const step = async <T>(name: string, work: () => Promise<T> | T): Promise<T | undefined> => {
    try {
      const value = await work()
      done.push([name, 'ok'])
      return value
    } catch (error) {
      done.push([name, describeError(error)])
      return undefined
    }
  }
  const workspace: Workspace | undefined = await step('open', () => openWorkspace(root))
  if (!workspace) return done
  await step('list', () => workspace.intents.list())
  await step('templates', () => workspace.intents.templates())
  await step('sessions', () => workspace.sessions())
  const session = await step('session', () => workspace.session({ id: 'agent' }))
  if (session) {
    await step('select', () => session.selectIntent('INT-001'))
    await step('read', () => session.fs.readFileSync('src/a.ts'))
    await step('write', () => session.fs.writeFileSync('src/a.ts', 'new\n'))
    await step('flush', () => session.flush())
  }
  const review = await step('review', () => workspace.review('agent'))
  if (review) {
    await step('changes', () => review.changes())
    await step('approve', () => review.approve(undefined, { name: 'Ada' }))
    await step('commit', () => review.commit())
  }
  await step('history', () => workspace.intents.history('INT-001'))
  await step('verify', async () => {
    const { ok, firstBad } = await workspace.ledger.verify()
    if (!ok) throw Object.assign(new Error(firstBad?.reason), { reason: 'ledger_corrupt' })
  })
  await step('close', () => workspace.close())
  return done
}

for (const root of process.argv.slice(2)) {
  const before = process.cpuUsage()
  const outcomes = await runSteps(root)
  const { user, system } = process.cpuUsage(before)
  writeSync(1, `${JSON.stringify({ outcomes, cpuMs: Math.round((user + system) / 1000) })}\n`)
}
