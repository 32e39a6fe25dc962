import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Intent, IntentChanges, NewIntent } from '../../src/core/api.js'
import type { Layout } from '../../src/core/layout.js'
import type { RegistryStore } from '../../src/intents/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { trust } from '../support/trust.js'

export interface TestWorkspace {
  readonly layout: Layout
  write(text: string): void
  text(): string
}

/** An empty workspace that is removed after the test; `text` becomes its active_intents.yaml. */
export function testWorkspace(text?: string): TestWorkspace {
  const root = mkdtempSync(join(tmpdir(), 'escrowfs-intents-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const layout = layoutAt(root)
  const write = (content: string) => {
    mkdirSync(layout.dir, { recursive: true })
    writeFileSync(`${layout.intentsFile}`, content)
    trust(layout.root)
  }
  if (text !== undefined) write(text)
  return { layout, write, text: () => readFileSync(`${layout.intentsFile}`, 'utf8') }
}

/** Makes each edit under the registry's lock, as all callers do. */
export function editsOf(registry: RegistryStore) {
  return {
    start: (id: string): Promise<Intent> => registry.withEdits(async (edits) => edits.start(id)),
    select: (id: string): Promise<Intent> => registry.withEdits(async (edits) => edits.select(id)),
    deselect: (): Promise<void> => registry.withEdits(async (edits) => edits.deselect()),
    complete: (id: string): Promise<Intent> => registry.withEdits(async (edits) => edits.complete(id)),
    expandScope: (id: string, addScope: string[]): Promise<Intent> =>
      registry.withEdits(async (edits) => edits.change(id, { addScope })),
    change: (id: string, changes: IntentChanges): Promise<Intent> =>
      registry.withEdits(async (edits) => edits.change(id, changes)),
    add: (intent: NewIntent): Promise<Intent> => registry.withEdits(async (edits) => edits.add(intent)),
  }
}

export const PLAN = `# what may be worked on
active_intents:
    - id: "INT-001"
      name: "JWT Authentication Migration"
      status: "IN_PROGRESS"            # DRAFT | IN_PROGRESS | COMPLETED | ARCHIVED
      owned_scope:
          - "src/auth/**"
          - "src/middleware/jwt.ts"
      constraints:
          - "Must not use external auth providers"
          - "Must maintain backward compatibility with Basic Auth"
      acceptance_criteria:
          - "Unit tests in tests/auth/ pass"
      created_at: "2026-02-18T12:00:00Z"
      updated_at: "2026-02-18T14:30:00Z"

    # the next one
    - id: INT-002
      name: Rate limiting
      owned_scope: ["src/limit/**"]   # small
      depends_on: [INT-003]
    - id: INT-003
      name: Old work
      status: COMPLETE
`
