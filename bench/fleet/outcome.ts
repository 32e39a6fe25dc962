import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { digest, sha256hex } from '../../overlay/index.js'
import type { LedgerLine } from '../../src/hub/types.js'
import { openWorkspace, type TraceRecord } from '../../src/index.js'
import type { Fleet, FleetSize, Host } from './fleet.js'

/** The faults of a run, judged from the disks of the hosts and the hub's database. Each is a list of places. */
export interface Outcome {
  /** Files that never reached the disk. */
  readonly lost: string[]
  /** Files that were committed more than once. */
  readonly doubled: string[]
  /** Files on disk whose bytes no reviewer has approved, and contents of the hub with another digest. */
  readonly unapproved: string[]
  /** Ledgers and audits that do not verify. */
  readonly broken: string[]
}

/** Reads the disks and the audit. The hosts must have stopped. */
export async function judge(fleet: Fleet, { agents, rounds }: FleetSize): Promise<Outcome> {
  const approved = new Set(fleet.reviewers.flatMap((reviewer) => [...reviewer.approved]))
  const outcome: Outcome = {
    lost: [],
    doubled: [],
    unapproved: fleet.reviewers.flatMap(({ forged }) => forged),
    broken: [],
  }
  for (const host of fleet.hosts) await judgeHost(host, agents, rounds, approved, outcome)
  if (!(await isAuditWhole(fleet))) outcome.broken.push('the audit of the hub')
  return outcome
}

async function judgeHost(
  { name, root }: Host,
  agents: number,
  rounds: number,
  approved: ReadonlySet<string>,
  { lost, doubled, unapproved, broken }: Outcome,
): Promise<void> {
  const workspace = await openWorkspace(root)
  try {
    const commits = new Map<string, number>()
    for await (const record of workspace.ledger.records())
      for (const path of committedIn(record)) commits.set(path, (commits.get(path) ?? 0) + 1)
    for (let agent = 0; agent < agents; agent++)
      for (let round = 0; round < rounds; round++) {
        const path = `src/agent-${agent}/round-${round}.txt`
        if (!existsSync(join(root, path))) {
          lost.push(`${name} ${path}`)
          continue
        }
        const onDisk = digest(readFileSync(join(root, path)))
        if (!approved.has(`${name}.agent-${agent} ${path} ${onDisk}`)) unapproved.push(`${name} ${path}`)
        if (commits.get(path) !== 1) doubled.push(`${name} ${path}: ${commits.get(path) ?? 0} commits`)
      }
    if (!(await workspace.ledger.verify()).ok) broken.push(`the ledger of ${name}`)
  } finally {
    await workspace.close()
  }
}

const COMMIT = z.object({
  metadata: z.object({
    'dev.escrowfs': z.object({ type: z.literal('commit'), changes: z.array(z.object({ path: z.string() })) }),
  }),
})

function committedIn(record: TraceRecord): string[] {
  const { data } = COMMIT.safeParse(record)
  return data?.metadata['dev.escrowfs'].changes.map(({ path }) => path) ?? []
}

/** Whether each line of the audit names the hash of the one before it. */
async function isAuditWhole({ url, admin }: Fleet): Promise<boolean> {
  let previous: string | null = null
  for (let after = 0; ; ) {
    const response = await fetch(`${url}/v1/audit?after=${after}`, { headers: { authorization: `Bearer ${admin}` } })
    const lines = (await response.json()) as LedgerLine[]
    for (const { line, sha256, number } of lines) {
      const { prev } = JSON.parse(line) as { prev: string | null }
      if (prev !== previous || sha256hex(line) !== sha256 || number !== after + 1) return false
      previous = sha256
      after = number
    }
    if (lines.length === 0) return previous !== null
  }
}
