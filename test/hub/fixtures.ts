import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { digest } from '../../overlay/index.js'
import { defined } from '../../src/core/defined.js'
import { newId } from '../../src/core/ids.js'
import { openPglite } from '../../src/hub/pglite.js'
import { takeTurn } from '../../src/hub/repositories.js'
import type { Database } from '../../src/hub/sql.js'
import { addToken } from '../../src/hub/tokens.js'
import type { QueuedChange, Role, Scope, Turn } from '../../src/hub/types.js'
import { serveHub } from '../../src/hub-server/index.js'
import type { HubServerOptions } from '../../src/hub-server/serve.js'
import { copyNewHub } from './new-hub.js'

export function newScope(): Scope {
  return { tenant: newId(), workspace: newId() }
}

export interface HubClock {
  (): string
  pass(milliseconds: number): void
}

/** A clock that a test controls. */
export function setClock(): HubClock {
  let time = Date.UTC(2026, 0, 1)
  return Object.assign(() => new Date(time).toISOString(), {
    pass(milliseconds: number) {
      time += milliseconds
    },
  })
}

/** A new file without content to show. */
export function createChange(path: string, other: Partial<QueuedChange> = {}): QueuedChange {
  const { after = digest(path), risk = 0 } = other
  const shown = 'shown' in other ? other.shown : { before: null, after: null }
  return { path, kind: 'create', before: null, after, risk, ...defined({ shown }) }
}

/** Opens two connections for the tests of a suite. @returns a function that returns them */
export function openTwice(open: () => Promise<Database>): () => [Database, Database] {
  let [one, two]: Database[] = []
  beforeAll(async () => {
    one = await open()
    two = await open()
  })
  afterAll(async () => {
    // The embedded database is shared by all suites, and is removed with the process.
    if (two !== one) await Promise.all([one?.close(), two?.close()])
  })
  return () => {
    if (one === undefined || two === undefined) throw new Error('The database is not open.')
    return [one, two]
  }
}

let trial: Promise<Database> | undefined

/** An embedded database, the same for all suites of a process. Its files are removed with those of all suites. */
export function trialDatabase(): Promise<Database> {
  trial ??= openTrial()
  return trial
}

async function openTrial(): Promise<Database> {
  const directory = join(mkdtempSync(join(process.env.ESCROWFS_TEST_SCRATCH ?? tmpdir(), 'escrow-hub-')), 'hub')
  await copyNewHub(directory)
  return openPglite(join(directory, 'data'))
}

/** Takes the turn of one workspace, if it is free. Earlier tests on the same database may have left work in others. */
export async function freeTurnOf(
  database: Database,
  { workspace }: Scope,
  worker = 'worker',
): Promise<Turn | undefined> {
  for (;;) {
    const turn = await takeTurn(database, worker)
    if (turn === undefined || turn.workspace === workspace) return turn
  }
}

/** As {@link freeTurnOf}. Throws if another worker has the turn, or there is nothing to do. */
export async function turnOf(database: Database, scope: Scope, worker?: string): Promise<Turn> {
  const turn = await freeTurnOf(database, scope, worker)
  if (turn === undefined) throw new Error('No turn.')
  return turn
}

/** Serves a hub on the embedded database until the test ends, for a new tenant. */
export async function serveTrial(options: Pick<HubServerOptions, 'port' | 'signIn' | 'telemetry'> = {}): Promise<{
  readonly url: string
  readonly scope: Scope
  readonly errors: unknown[]
  token(name: string, role: Role): Promise<string>
}> {
  const database = await trialDatabase()
  const [scope, errors]: [Scope, unknown[]] = [newScope(), []]
  const served = await serveHub(Object.assign({ database, report: (error: unknown) => errors.push(error) }, options))
  onTestFinished(() => served.close())
  return {
    url: served.url,
    scope,
    errors,
    token: (name, role) => addToken(database, Object.assign({ name, role }, scope)),
  }
}
