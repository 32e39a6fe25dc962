import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { denialOf, openWorkspace, type Session } from '../../src/index.js'
import { RemoteSync } from '../../src/remote/index.js'

/**
 * A machine with agents: node fleet-host.js <root> <agents> <rounds>. Each agent writes a file per round, waits for its
 * decision, and continues after the commit. All progress is in the workspace, so a killed host continues where it was.
 * Prints JSON lines.
 */

const [root = '', agents = '1', rounds = '1'] = process.argv.slice(2)
/**
 * Milliseconds between two checks of all agents. A check compares every staged file, so more agents check less often.
 */
const PAUSE_MS = Math.max(250, 100 * Number(agents))
const LINES = 30

const print = (event: object) => console.log(JSON.stringify(event))
const nameOf = (agent: number) => `agent-${agent}`

const workspace = await openWorkspace(root, { durability: 'process' })
const sessions = new Map<number, Session>()
for (let agent = 0; agent < Number(agents); agent++) {
  const session = await workspace.session({ id: nameOf(agent), agent: { tool: 'fleet', model: 'scripted' } })
  await session.selectIntent('INT-001')
  sessions.set(agent, session)
}
const end = new AbortController()
process.once('SIGTERM', () => end.abort())
const sync = new RemoteSync(workspace, () => undefined).watch(end.signal)
print({ kind: 'started' })
const done = new Set<number>()
while (!end.signal.aborted) {
  for (const [agent, session] of sessions) if (!done.has(agent)) await step(agent, session)
  if (done.size === sessions.size) print({ kind: 'done' })
  await sleep(PAUSE_MS, undefined, { signal: end.signal }).catch(() => undefined)
}
await sync
for (const session of sessions.values()) await session.close()
await workspace.close()

/** Performs the next possible step of an agent, or of the person at its machine. */
async function step(agent: number, session: Session): Promise<void> {
  const review = await workspace.review(session.id)
  const { changes } = await review.changes()
  if (changes.length === 0) return begin(agent, session)
  if (changes.some(({ state }) => state === 'approved')) {
    await review.commit()
    return
  }
  for (const { path, state } of changes) if (state === 'rejected') appendCorrection(session, path)
  await session.flush()
}

/** The first write after a rejection fails with its reason. The agent then tries again. */
function appendCorrection({ fs }: Session, path: string): void {
  const line = 'changed after a rejection\n'
  try {
    fs.appendFileSync(path, line)
  } catch (error) {
    if (denialOf(error)?.reason !== 'user_rejected') throw error
    fs.appendFileSync(path, line)
  }
}

async function begin(agent: number, session: Session): Promise<void> {
  const path = Array.from({ length: Number(rounds) }, (_, round) => `src/${nameOf(agent)}/round-${round}.txt`).find(
    (each) => !existsSync(join(root, each)),
  )
  if (path === undefined) return void done.add(agent)
  session.fs.mkdirSync(`src/${nameOf(agent)}`, { recursive: true })
  session.fs.writeFileSync(path, contentOf(`${root} ${path}`))
  await session.flush()
}

function contentOf(seed: string): string {
  const lines = Array.from({ length: LINES }, (_, n) => createHash('sha256').update(`${seed} ${n}`).digest('hex'))
  return `${lines.join('\n')}\n`
}
