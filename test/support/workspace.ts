import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, onTestFinished } from 'vitest'
import { invalidateTick } from '../../overlay/tick.js'
import type { Session, TraceRecord, Workspace, WorkspaceOptions } from '../../src/core/api.js'
import type { EscrowError } from '../../src/index.js'
import { openWorkspace } from '../../src/index.js'
import { tempDir } from './facade.js'
import { findLedgerErrors } from './trace-schema.js'
import { needsTrust, trust } from './trust.js'

/** Three intents: in progress, pending and completed. */
export const INTENTS = `# the plan
active_intents:
  - id: INT-001
    name: Prices
    status: IN_PROGRESS   # since Monday
    owned_scope: ["src/**", "docs/prices.md"]
    constraints: [Integers only]
  - id: INT-002
    name: Mail
    status: PENDING
    owned_scope: ["mail/**"]
  - id: INT-003
    name: Old
    status: COMPLETED
    owned_scope: ["**"]
`

export const FILES = { 'src/a.ts': 'a one\na two\n', 'src/b.ts': 'b\n', 'src/sub/c.ts': 'c\n', 'mail/m.ts': 'm\n' }

export interface TestWorkspace {
  readonly root: string
  open(options?: WorkspaceOptions): Promise<Workspace>
  /** Reads a file below the root. */
  text(path: string): string
  write(path: string, text: string): void
}

/** Creates a workspace that is removed after the test. Every {@link Workspace} opened on it is closed first. */
export function testWorkspace(files: Readonly<Record<string, string>> = FILES, intents = INTENTS): TestWorkspace {
  const { path: root, dispose } = tempDir()
  const opened: Workspace[] = []
  const write = (path: string, text: string) => {
    mkdirSync(dirname(`${root}/${path}`), { recursive: true })
    writeFileSync(`${root}/${path}`, text)
    if (needsTrust(path)) trust(root)
    // These writes simulate another process, so no cached state of this tick may survive them.
    invalidateTick()
  }
  for (const [path, text] of Object.entries(files)) write(path, text)
  if (intents !== '') write('.orchestration/active_intents.yaml', intents)
  onTestFinished(async () => {
    for (const each of opened) await each.close().catch(() => undefined)
    const errors = findLedgerErrors(`${root}/.orchestration/agent_trace.jsonl`)
    dispose()
    expect(errors).toEqual([])
  })
  return {
    root,
    async open(options) {
      const workspace = await openWorkspace(root, options)
      opened.push(workspace)
      return workspace
    },
    text: (path) => readFileSync(`${root}/${path}`, 'utf8'),
    write,
  }
}

/** Opens an agent's session and selects an intent. */
export async function startSession(workspace: Workspace, id = 'agent', intent = 'INT-001'): Promise<Session> {
  const session = await workspace.session({ id, agent: { model: 'm-1', tool: 'tester' } })
  await session.selectIntent(intent)
  return session
}

/** The `reason` of a failing call. */
export async function reasonOf(run: () => unknown): Promise<unknown> {
  return (await failure(run)).reason
}

export async function failure(run: () => unknown): Promise<EscrowError & NodeJS.ErrnoException> {
  try {
    await run()
  } catch (error) {
    return error as EscrowError & NodeJS.ErrnoException
  }
  return expect.unreachable('the call should have failed')
}

export async function recordsOf(workspace: Workspace): Promise<TraceRecord[]> {
  const found: TraceRecord[] = []
  for await (const record of workspace.ledger.records()) found.push(record)
  return found
}

/** The escrowfs fields of a ledger record. */
export function metadataOf(record: TraceRecord): Record<string, unknown> {
  return (record.metadata as Record<string, Record<string, unknown>>)['dev.escrowfs'] ?? {}
}
