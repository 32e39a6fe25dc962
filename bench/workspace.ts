import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { openWorkspace, type Session, type Workspace, type WorkspaceOptions } from '../src/index.js'
import { layoutAt } from '../src/os/workspace-state.js'
import { acceptFiles, compareFiles } from '../src/trust/index.js'

/** A workspace with one intent whose scope includes everything that a suite writes. */

export interface Governed {
  readonly workspace: Workspace
  readonly session: Session
}

const SCOPE = ['src/**', 'made/**', 'other/**', 'big/**', 'moved/**', 'docs/*.md', '!src/legacy/**']

/**
 * Declares the intent, and accepts it as a person would.
 * @param active true to select it for new sessions
 * @param check a command that the intent has as its check
 */
export function declareIntent(root: string, { active = false, check = '' } = {}): void {
  mkdirSync(`${root}/.orchestration`, { recursive: true })
  const scope = SCOPE.map((glob) => `      - "${glob}"\n`).join('')
  const criteria = check === '' ? '' : `    acceptance_criteria:\n      - run: ${JSON.stringify(check)}\n`
  writeFileSync(
    `${root}/.orchestration/active_intents.yaml`,
    `${active ? 'active_intent_id: INT-001\n' : ''}active_intents:\n  - id: INT-001\n    name: Measure\n    status: IN_PROGRESS\n    owned_scope:\n${scope}${criteria}`,
  )
  const layout = layoutAt(realpathSync(root))
  acceptFiles(layout, compareFiles(layout).digest, { name: 'Bench' })
}

/** Opens a workspace, and a session with the intent selected. */
export async function govern(root: string, id: string, options: WorkspaceOptions): Promise<Governed> {
  const workspace = await openWorkspace(root, options)
  const session = await workspace.session({ id, agent: { tool: 'bench' } })
  await session.selectIntent('INT-001')
  return { workspace, session }
}
