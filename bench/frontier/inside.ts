import { readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { EscrowError, openWorkspace } from '../../src/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { acceptFiles, compareFiles } from '../../src/trust/index.js'
import { INTENTS, type Order, type Report } from './order.js'

/**
 * Runs one command of an agent, in a session of the workspace `/ws`, within the throw-away machine. It prints the
 * output for the agent. With `answers`, a person allows what policy asks about, and commits the result.
 */
async function main(): Promise<void> {
  const { policy, command, answers, network, limit } = JSON.parse(readFileSync('/listen/order.json', 'utf8')) as Order
  accept(policy)
  let questions = 0
  const approver = async () => {
    questions += 1
    return { answer: answers ? ('allow' as const) : ('deny' as const) }
  }
  const workspace = await openWorkspace('/ws', { durability: 'process', approver })
  const refused: string[] = []
  try {
    const session = await workspace.session({ id: 'frontier', agent: { tool: 'bench' } })
    await session.selectIntent('INT-001')
    try {
      const args = typeof command === 'string' ? command : [...command]
      const result = await session.exec(args, { timeout: limit * 1_000, network })
      process.stdout.write(result.stdout + result.stderr)
      refused.push(...result.refused.map(({ path, reason }) => `${path}: ${reason}`))
    } catch (error) {
      if (!(error instanceof EscrowError)) throw error
      process.stdout.write(`${error.message}\n`)
      refused.push(error.message)
    }
    await session.flush()
    if (answers) {
      const review = await workspace.review('frontier')
      await review.approve(undefined, { name: 'Ada' })
      await review.commit()
    }
  } finally {
    await workspace.close()
  }
  writeFileSync('/listen/report.json', JSON.stringify({ questions, refused } satisfies Report))
}

/** Makes the directory a workspace whose rules a person has accepted. */
function accept(policy: string): void {
  writeFileSync('/ws/.orchestration/active_intents.yaml', INTENTS)
  writeFileSync('/ws/.orchestration/policy.yaml', policy)
  const layout = layoutAt(realpathSync('/ws'))
  acceptFiles(layout, compareFiles(layout).digest, { name: 'Bench' })
}

await main()
