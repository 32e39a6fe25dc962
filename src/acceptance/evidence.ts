import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { codeOf, readRegular } from '../../overlay/index.js'
import type { CheckEvidence, CheckState, CheckStatus } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import { assertHeld, withProcessLock } from '../os/lock.js'
import { ensurePrivateDir, replaceDurable } from '../os/write.js'
import type { ApplicableCheck } from './applicable.js'

/** The newest runs that are kept for a session. */
const MAX_KEPT = 100

const reviewer = z.object({ name: z.string(), email: z.string().exactOptional() })
const check = z.object({
  run: z.string(),
  paths: z.array(z.string()).readonly().exactOptional(),
  timeout: z.number().exactOptional(),
  network: z.array(z.string()).readonly().exactOptional(),
})

const evidence = z.object({
  id: z.string(),
  intentId: z.string(),
  /** The number of the check in its intent, by which a run is found after the command was changed. */
  index: z.int(),
  check,
  exitCode: z.int().nullable(),
  ended: z.enum(['timeout', 'processes', 'memory']).exactOptional(),
  duration: z.number(),
  output: z.string(),
  truncated: z.literal(true).exactOptional(),
  tree: z.string(),
  isolation: z.enum(['sandbox', 'none']),
  tools: z.record(z.string(), z.string()),
  at: z.string(),
  askedBy: z.union([z.object({ person: reviewer }), z.object({ session: z.string() })]),
})

const file = z.object({ version: z.literal(1), runs: z.array(evidence) })

export type StoredEvidence = z.output<typeof evidence>

/**
 * The evidence of a session, in the state directory of this machine. No content of a repository, including its ledger,
 * is read as evidence.
 */
export interface EvidenceStore {
  /** Oldest first. @throws EscrowError `ledger_corrupt` if the file is damaged. */
  read(): readonly StoredEvidence[]
  add(run: StoredEvidence): Promise<void>
}

/** @param path `sessions/<id>/checks.json`; need not exist. @param locks the workspace's lock directory. */
export function openEvidence(path: string, locks: string, sessionId: string): EvidenceStore {
  return {
    read: () => readEvidence(path),
    add: (run) =>
      withProcessLock(locks, `checks-${sessionId}`, (lost) => {
        ensurePrivateDir(dirname(path))
        const runs = [...readEvidence(path), run].slice(-MAX_KEPT)
        const text = `${JSON.stringify({ version: 1, runs })}\n`
        assertHeld(lost, `the check results of session '${sessionId}'`)
        replaceDurable(path, text, 0o600)
      }),
  }
}

function readEvidence(path: string): StoredEvidence[] {
  try {
    return file.parse(JSON.parse(readRegular(path, true).toString())).runs
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return []
    throw new EscrowError('ledger_corrupt', `${path} cannot be read, so no check counts as run.`, {
      hint: 'Move the file away, then run the checks again.',
      cause,
    })
  }
}

/** Returns the state of a check. Evidence counts only if it is for the same command and the same bytes. */
export function statusOf(
  { intentId, check: wanted, index }: ApplicableCheck,
  tree: string,
  runs: readonly StoredEvidence[],
): CheckStatus {
  const own = runs.filter((run) => run.intentId === intentId)
  const sameCheck = own.filter((run) => isDeepStrictEqual(run.check, wanted))
  const current = sameCheck.findLast((run) => run.tree === tree)
  const found = current ?? sameCheck.at(-1) ?? own.findLast((run) => run.index === index)
  const state: CheckState = current ? stateOf(current) : found ? 'stale' : 'not run'
  return { intentId, check: wanted, state, ...defined({ evidence: found && publicOf(found) }) }
}

function stateOf({ exitCode, ended }: StoredEvidence): CheckState {
  return exitCode === 0 && ended === undefined ? 'passed' : 'failed'
}

function publicOf({ index: _, ...run }: StoredEvidence): CheckEvidence {
  return run
}
