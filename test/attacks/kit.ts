import fs from 'node:fs'
import { dirname } from 'node:path'
import { onTestFinished } from 'vitest'
import { invalidateTick } from '../../overlay/tick.js'
import { openWorkspace, type Session, type Workspace } from '../../src/index.js'
import { tempDir } from '../support/facade.js'
import { needsTrust, trust } from '../support/trust.js'

/** A temporary workspace with one intent (INT-001: `src/**`). */
export interface Scene {
  readonly root: string
  /** The absolute path of a file below the root. */
  at(path: string): string
  write(path: string, content: string): void
  read(path: string): string
  exists(path: string): boolean
  open(): Promise<Workspace>
  /** Opens a session and selects an intent. */
  agent(workspace: Workspace, id?: string, intent?: string): Promise<Session>
  /** Approves and commits through a second workspace, as another process does. Returns the committed paths. */
  release(session: string, paths?: string[]): Promise<string[]>
}

const INTENTS = `active_intents:
  - id: INT-001
    name: Work
    status: IN_PROGRESS
    owned_scope: ["src/**"]
`

/** Creates a workspace that is removed after the test. */
export function scene(files: Record<string, string> = {}, intents = INTENTS): Scene {
  const dir = tempDir('escrowfs-attack-')
  onTestFinished(() => dir.dispose())
  const root = `${dir.path}/ws`
  const at = (path: string) => `${root}/${path}`
  const write = (path: string, content: string) => {
    fs.mkdirSync(dirname(at(path)), { recursive: true })
    fs.writeFileSync(at(path), content)
    if (needsTrust(path)) trust(root)
    // This writes as a person in another process, so it ends the current tick of the cache.
    invalidateTick()
  }
  write('.orchestration/active_intents.yaml', intents)
  for (const [path, content] of Object.entries(files)) write(path, content)
  const open = async () => {
    const workspace = await openWorkspace(root)
    onTestFinished(() => workspace.close().catch(() => undefined))
    return workspace
  }
  return {
    root,
    at,
    write,
    open,
    read: (path) => fs.readFileSync(at(path), 'utf8'),
    exists: (path) => fs.existsSync(at(path)),
    async agent(workspace, id = 'one', intent = 'INT-001') {
      const session = await workspace.session({ id })
      await session.selectIntent(intent)
      return session
    },
    async release(session, paths) {
      const workspace = await openWorkspace(root)
      try {
        const review = await workspace.review(session)
        await review.changes()
        await review.approve(paths)
        return (await review.commit()).committed
      } finally {
        await workspace.close()
      }
    },
  }
}

/** Returns the error that a call throws, or undefined. */
export function errorFrom(call: () => unknown): { code?: string; reason?: string; message?: string } | undefined {
  try {
    call()
    return undefined
  } catch (error) {
    return error as { code?: string; reason?: string; message?: string }
  }
}

/** Lists staged changes as `kind path` or `kind from -> path`, sorted. */
export async function stagedChanges(of: {
  changes(): Promise<{ changes: { path: string; kind: string; from?: string }[] }>
}) {
  const { changes } = await of.changes()
  return changes.map(({ path, kind, from }) => (from ? `${kind} ${from} -> ${path}` : `${kind} ${path}`)).sort()
}
