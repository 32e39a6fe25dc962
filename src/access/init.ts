import { PRIVATE_NAMES, type SharedFile } from '../core/layout.js'
import { acceptTexts } from '../os/accepted-files.js'
import { createShared, makeOrchestration, readShared, sharedExists } from '../os/shared-files.js'
import { layoutAt } from '../os/workspace-state.js'
import { physicalRoot } from './workspace-root.js'

const INTENTS = `# What agents may work on. An agent selects one of these before it may write anything.
#
# active_intents:
#   - id: INT-001
#     name: Show prices with tax
#     status: PENDING              # DRAFT, PENDING, IN_PROGRESS, BLOCKED, COMPLETED, ARCHIVED
#     owned_scope:                 # globs, relative to this workspace; "!" takes away
#       - src/billing/**
#       - "!src/billing/legacy/**"
#     constraints:
#       - Prices stay integers of cents
#     acceptance_criteria:
#       - The invoice shows net, tax and gross

active_intents: []
`

const policyText = (
  by: 'person' | 'any',
) => `# Rules for every agent in this workspace, whatever its intent. Every key is optional.
#
# access:                          # the most specific path wins
#   .env*: hidden                  # allow, read-only, deny, hidden, ask
#   docs/**: read-only

access: {}

# Who may approve, commit and edit intents by the command. person: who sits at a terminal, or holds a reviewer's key.
# any: every program of yours outside of a session, an agent's own shell included.
approval: { by: ${by} }
`

/** Options of {@link initWorkspace}. */
export interface InitOptions {
  /**
   * The people and programs that may approve by the command: `approval.by` of the new policy.yaml. Default: `person`.
   */
  readonly approvalBy?: 'person' | 'any' | undefined
}

/** Directories in `.orchestration` that belong to this machine and not to the repository. */
export const GITIGNORE = `${PRIVATE_NAMES.map((name) => `/${name}/`).join('\n')}\n*.tmp\n`

/** Git concatenates the lines of both branches: `escrow verify --join` joins the ledger and rewrites the map. */
export const GITATTRIBUTES = 'agent_trace.jsonl merge=union\nintent_map.md merge=union\n'

/**
 * Makes a directory a workspace: writes `.orchestration/` with commented templates. Never overwrites.
 * @returns the files created and the files that existed, relative to the root.
 */
export async function initWorkspace(
  root: string,
  { approvalBy = 'person' }: InitOptions = {},
): Promise<{ created: string[]; kept: string[] }> {
  const layout = layoutAt(physicalRoot(root))
  makeOrchestration(layout)
  const files: [SharedFile, string][] = [
    [layout.intentsFile, INTENTS],
    [layout.policyFile, policyText(approvalBy)],
    [layout.gitignore, GITIGNORE],
    [layout.gitattributes, GITATTRIBUTES],
  ]
  const created: string[] = []
  const createdTexts = new Map<string, string>()
  const kept: string[] = []
  // Finds a link in the place of a file before anything is written.
  for (const [file] of files) if (sharedExists(file)) readShared(file)
  for (const [file, content] of files) {
    const { name } = file
    if (sharedExists(file)) kept.push(name)
    else {
      createShared(file, content)
      createdTexts.set(name, content)
      created.push(name)
    }
  }
  // Files that we wrote need no review; files that existed wait for 'escrow trust'.
  acceptTexts(layout, new Map([...createdTexts].filter(([name]) => name.endsWith('.yaml'))))
  return { created, kept }
}
