import { EscrowError } from '../../src/index.js'
import { STATUSES } from '../../src/intents/statuses.js'
import { code, table } from './markdown.js'
import { withScratchWorkspace } from './scratch.js'

/** The result of selecting an intent, for each status. */

export async function intentTable(): Promise<string> {
  const entries = STATUSES.map((status) => `  - { id: ${status}, status: ${status}, owned_scope: [src/**] }\n`)
  const waiting = '  - { id: WAITS, owned_scope: [src/**], depends_on: [BLOCKED] }\n'
  const file = `active_intents:\n${entries.join('')}${waiting}`
  return withScratchWorkspace({ '.orchestration/active_intents.yaml': file }, async (workspace) => {
    const session = await workspace.session({ id: 'it' })
    const rows: string[][] = []
    for (const id of [...STATUSES, 'WAITS']) {
      const outcome = await session.selectIntent(id).then(
        ({ intent }) => `selected; it becomes ${code(intent?.status ?? '')}`,
        (error: unknown) => `refused: ${code(error instanceof EscrowError ? error.reason : String(error))}`,
      )
      rows.push([id === 'WAITS' ? 'one that depends on an intent that is not completed' : code(id), outcome])
    }
    return table(['status', 'an agent that selects it'], rows)
  })
}
