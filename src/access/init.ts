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

/** What {@link initWorkspace} writes other than by default. */
export interface InitOptions {
  /** Who may approve by the command: `approval.by` of the new policy.yaml. A person unless told. */
  readonly approvalBy?: 'person' | 'any'
}

/** Names of ours that belong to this machine and not to the repository. */
export const GITIGNORE = `${PRIVATE_NAMES.map((name) => `/${name}/`).join('\n')}\n*.tmp\n`

/** Git puts the lines of both branches behind each other: `escrow verify --join` joins the ledger, and writes the map anew. */
export const GITATTRIBUTES = 'agent_trace.jsonl merge=union\nintent_map.md merge=union\n'

/**
 * Makes a directory a workspace: writes `.orchestration/` with commented starters. Never overwrites.
 * @returns the files made and the files that were there, relative to the root.
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
  const made = new Map<string, string>()
  const kept: string[] = []
  // A link in the place of a file is found before anything is written.
  for (const [file] of files) if (sharedExists(file)) readShared(file)
  for (const [file, content] of files) {
    const { name } = file
    if (sharedExists(file)) kept.push(name)
    else {
      createShared(file, content)
      made.set(name, content)
      created.push(name)
    }
  }
  // What we wrote ourselves a person need not look at; what was there already waits for 'escrow trust'.
  acceptTexts(layout, new Map([...made].filter(([name]) => name.endsWith('.yaml'))))
  return { created, kept }
}
