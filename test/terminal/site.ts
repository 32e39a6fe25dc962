import type { Session, Workspace } from '../../src/index.js'
import { FILES, startSession, type TestWorkspace, testWorkspace } from '../support/workspace.js'

const ALL = `active_intents:
  - id: INT-001
    name: Everything
    status: IN_PROGRESS
    owned_scope: ["**"]
`

export interface Site extends TestWorkspace {
  readonly workspace: Workspace
  readonly session: Session
}

/** A workspace with a session that may write everywhere, or in the scope of `intents`. */
export async function site(files: Readonly<Record<string, string>> = FILES, intents = ALL): Promise<Site> {
  const project = testWorkspace(files, intents)
  const workspace = await project.open()
  return { ...project, workspace, session: await startSession(workspace) }
}
