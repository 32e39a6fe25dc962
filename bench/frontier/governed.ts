import type * as NodeFs from 'node:fs'
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { EscrowError, type ExecResult, openWorkspace } from '../../src/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { acceptFiles, compareFiles } from '../../src/trust/index.js'

/** The policies that are compared. */
export const POLICIES: Readonly<Record<string, string>> = {
  strict: 'terminal: { classes: { destructive: ask, network: deny, other: ask } }\n',
  default: '{}\n',
  loose: 'terminal: { classes: { destructive: allow, network: allow, other: allow } }\n',
}

const INTENTS = `active_intent_id: INT-001
active_intents:
  - { id: INT-001, name: Any work, status: IN_PROGRESS, owned_scope: ["**"] }
`

/** Makes a directory a workspace with a policy, accepted as by a person. */
export function declare(root: string, policy: string): void {
  mkdirSync(`${root}/.orchestration`, { recursive: true })
  writeFileSync(`${root}/.orchestration/active_intents.yaml`, INTENTS)
  writeFileSync(`${root}/.orchestration/policy.yaml`, policy)
  const layout = layoutAt(realpathSync(root))
  acceptFiles(layout, compareFiles(layout).digest, { name: 'Bench' })
}

export type Work = (fs: typeof NodeFs, run: (argv: string | string[]) => Promise<ExecResult>) => Promise<unknown>

export interface Outcome {
  readonly output: string
  readonly questions: number
  /** Effects and calls that were refused, with their reasons. */
  readonly refused: readonly string[]
}

/**
 * Does work in a session. @param answers whether a person allows what policy asks about, and commits the result
 */
export async function govern(root: string, answers: boolean, work: Work): Promise<Outcome> {
  let questions = 0
  const approver = async () => {
    questions += 1
    return { answer: answers ? ('allow' as const) : ('deny' as const) }
  }
  const workspace = await openWorkspace(root, { durability: 'process', approver })
  const refused: string[] = []
  let output = ''
  try {
    const session = await workspace.session({ id: 'frontier', agent: { tool: 'bench' } })
    await session.selectIntent('INT-001')
    await work(session.fs, async (argv) => {
      const result = await session.exec(argv, { timeout: TIMEOUT_MS })
      output += result.stdout + result.stderr
      refused.push(...result.refused.map(({ path, reason }) => `${path}: ${reason}`))
      return result
    }).catch((error: unknown) => {
      if (!(error instanceof EscrowError) && !(error instanceof Error)) throw error
      refused.push(error.message)
    })
    await session.flush()
    if (answers) await commitAll(workspace)
  } finally {
    await workspace.close()
  }
  return { output, questions, refused }
}

/** Scripts that watch or serve go on without an end. */
export const TIMEOUT_MS = 10_000

async function commitAll(workspace: Awaited<ReturnType<typeof openWorkspace>>): Promise<void> {
  const review = await workspace.review('frontier')
  await review.approve(undefined, { name: 'Ada' })
  await review.commit()
}
