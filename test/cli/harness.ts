import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Library } from '../../src/cli/context.js'
import type { Asking } from '../../src/cli/prompts.js'
import { run } from '../../src/cli/run.js'
import type {
  BlameLine,
  ChangeSet,
  LedgerHead,
  LedgerStats,
  Recovery,
  Review,
  SessionSummary,
  TraceRecord,
  UnanchoredRecords,
  Verdict,
  VerifyResult,
  Workspace,
} from '../../src/core/api.js'
import { unsupported } from '../../src/core/api-error.js'
import type { Capability } from '../../src/index.js'
import { applyClients, findClients, foreignSettings, planClients } from '../../src/surface/index.js'

export interface Fake {
  set?: ChangeSet
  records?: TraceRecord[]
  verify?: VerifyResult
  blame?: BlameLine[]
  head?: LedgerHead
  stats?: LedgerStats
  unanchored?: UnanchoredRecords
  /** What the person at the terminal answers; there is nobody to ask where it is absent. */
  yes?: boolean
  sessions?: SessionSummary[]
  review?: Partial<Review>
  readonly admit?: Library['admitReviewer']
  readonly recovery?: Recovery
  readonly problem?: string
  /** Of the terminal it prints to. */
  readonly columns?: number
  /** What is wrong with clients' entries. */
  readonly blocked?: string
  readonly containment?: readonly Capability[]
}

export interface Ran {
  code: number
  out: string
  err: string
  /** Each call of the library, in order. */
  calls: unknown[][]
}

/** A directory that is a workspace, gone after the test. */
export function workspaceDir(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'escrow-cli-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, '.orchestration'))
  return root
}

function answering(answer: boolean, note: (...call: unknown[]) => void): Asking {
  return {
    yes: async (question) => {
      note('yes', question)
      return answer
    },
    some: async () => undefined,
    one: async () => undefined,
    line: async () => undefined,
  }
}

/** Runs a command line in process on a workspace that only answers and notes what it was asked. */
export async function escrow(cwd: string, argv: string[], fake: Fake = {}, color = false): Promise<Ran> {
  const ran: Ran = { code: -1, out: '', err: '', calls: [] }
  const note = (...call: unknown[]) => ran.calls.push(call)
  const io = {
    out: (text: string) => {
      ran.out += text
    },
    err: (text: string) => {
      ran.err += text
    },
    cwd,
    terminal: true,
    color,
    version: '1.2.3',
    entry: '/package/main.js',
    ...(fake.columns !== undefined && { columns: fake.columns }),
    ...(fake.yes !== undefined && { ask: async () => answering(fake.yes === true, note) }),
  }
  const library: Library = {
    openWorkspace: async (root) => {
      note('open', root)
      return workspaceOf(root, fake, note)
    },
    makeSigningKey: () => ({ file: '/k', created: true, fingerprint: 'SHA256:x', publicKey: 'PEM\n' }),
    makeReviewerKey: () => ({ file: '/r', created: true, fingerprint: 'SHA256:y', publicKey: 'PEM\n' }),
    hookToken: () => 'token',
    findOldState: () => undefined,
    migrateOldState: () => [],
    admitAgent: () => undefined,
    admitReviewer: (root, options) => fake.admit?.(root, options),
    admitTruster: (root, options) => fake.admit?.(root, options),
    checkContainment: async () => fake.containment ?? [{ name: 'platform', ok: true }],
    initWorkspace: async (root) => {
      note('init', root)
      return { created: ['.orchestration/policy.yaml'], kept: ['.orchestration/.gitignore'] }
    },
    planClients,
    applyClients,
    foreignSettings,
    findClients,
    probeEntry: async () => fake.blocked,
    installLauncher: (entry) => note('installLauncher', entry),
    editText: async (text) => text,
  }
  ran.code = await run(argv, io, async () => library)
  return ran
}

function workspaceOf(root: string, fake: Fake, note: (...call: unknown[]) => void): Workspace {
  const refuse = async (): Promise<never> => {
    throw unsupported('This')
  }
  const intent = { id: 'INT-001', name: 'Billing', status: 'IN_PROGRESS' as const }
  const rest = { ownedScope: [], constraints: [], acceptanceCriteria: [], dependsOn: [] }
  return {
    root,
    trust: async () => ({ digest: 'sha256:0', waiting: false, changes: [], files: [] }),
    accept: refuse,
    intents: {
      list: async () => [{ ...intent, ...rest }],
      get: async (id) => (id === intent.id ? { ...intent, ...rest } : undefined),
      active: async () => undefined,
      select: refuse,
      deselect: refuse,
      complete: refuse,
      expandScope: refuse,
      history: refuse,
      add: refuse,
      edit: refuse,
      editFile: refuse,
      templates: refuse,
    },
    ledger: {
      records: async function* () {
        yield* fake.records ?? []
      },
      verify: async (options) => {
        note('verify', ...(options ? [options] : []))
        return fake.verify ?? { ok: true, records: 2 }
      },
      blame: async (path) => {
        note('blame', path)
        return fake.blame ?? []
      },
      unanchored: async () => fake.unanchored ?? { count: 0, ranges: [], approvers: [], sessions: [] },
      export: async (format) => `${format}\n`,
      stats: async (options) => {
        note('stats', options)
        return fake.stats ?? refuse()
      },
      anchor: async () => {
        note('anchor')
        return fake.head
      },
      join: async (by) => {
        note('join', by)
        return fake.head
      },
      head: async () => fake.head,
    },
    session: refuse,
    sessions: async () => fake.sessions ?? [],
    review: async (id) => {
      note('review', id)
      return reviewOf(id, fake, note)
    },
    undo: async (id) => {
      note('undo', id)
      return reviewOf('undo-4', fake, note)
    },
    previewUndo: async (ids) => {
      note('previewUndo', ids)
      return fake.set ?? { digest: 'sha256:0', changes: [] }
    },
    watch: () => () => undefined,
    recover: async () => fake.recovery ?? { finished: [], rolledBack: [], left: [] },
    mapIntents: async () => {
      note('mapIntents')
      return '# Intent Map\n'
    },
    policyProblem: async () => fake.problem,
    close: async () => note('close'),
  }
}

function reviewOf(sessionId: string, fake: Fake, note: (...call: unknown[]) => void): Review {
  const verdict = (kind: Verdict['verdict'], paths: string[]): Verdict => ({
    id: 'v1',
    verdict: kind,
    paths,
    by: { name: 'Ann' },
    at: 'now',
  })
  return {
    sessionId,
    changes: async () => fake.set ?? { digest: 'sha256:0', changes: [] },
    approve: async (selection, by) => {
      note('approve', selection, by)
      return verdict('approved', ['a.ts'])
    },
    reject: async (selection, reason, by) => {
      note('reject', selection, reason, by)
      return verdict('rejected', ['a.ts'])
    },
    withdraw: async (selection, by) => {
      note('withdraw', selection, by)
      return verdict('withdrawn', ['a.ts'])
    },
    split: async () => [],
    edit: async () => undefined,
    content: async () => undefined,
    commit: async (options) => {
      note('commit', options)
      return { id: 'tx1', seq: 4, committed: ['a.ts'], conflicts: [] }
    },
    discard: async () => undefined,
    snapshots: async () => [],
    questions: async () => [],
    answer: async (id, answer) => note('answer', id, answer),
    quarantined: async () => [],
    takeQuarantined: async () => ({ taken: [], refused: [] }),
    dropQuarantined: async () => [],
    ...fake.review,
  }
}
