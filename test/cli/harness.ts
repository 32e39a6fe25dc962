import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Library } from '../../src/cli/context.js'
import type { Prompts } from '../../src/cli/prompts.js'
import { run } from '../../src/cli/run.js'
import type {
  BlameLine,
  ChangeSet,
  ChecklistItem,
  CheckReport,
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
import type { TriedContainment } from '../../src/core/protection.js'
import type { Capability, ReleaseReport } from '../../src/index.js'
import {
  applyClients,
  type EscapeReport,
  type FoundRepairs,
  findClients,
  foreignSettings,
  planClients,
} from '../../src/surface/index.js'

export interface Fake {
  set?: ChangeSet
  checks?: CheckReport
  release?: ReleaseReport
  checklist?: ChecklistItem[]
  records?: TraceRecord[]
  verify?: VerifyResult
  blame?: BlameLine[]
  head?: LedgerHead
  stats?: LedgerStats
  unanchored?: UnanchoredRecords
  /** The person's answer to each confirmation. Without it nobody can be asked. */
  answer?: boolean
  sessions?: SessionSummary[]
  review?: Partial<Review>
  readonly admit?: Library['admitReviewer']
  readonly recovery?: Recovery
  readonly problem?: string
  /** Columns of the terminal. */
  readonly columns?: number
  /** The error of every client's hook. */
  readonly blocked?: string
  readonly containment?: readonly Capability[]
  readonly escapes?: EscapeReport
  readonly tried?: readonly TriedContainment[]
  readonly repairs?: FoundRepairs
  /** Whether the commands of a repair succeed. */
  readonly isRepaired?: boolean
  /** What the person types at each question for a text. */
  readonly typed?: string | undefined
}

export interface RunResult {
  code: number
  out: string
  err: string
  /** The calls of the library, in order. */
  calls: unknown[][]
}

/** Creates a workspace directory. It is removed after the test. */
export function workspaceDir(): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'escrow-cli-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  mkdirSync(join(root, '.orchestration'))
  return root
}

function createPrompts({ answer = false, typed }: Fake, recordCall: (...call: unknown[]) => void): Prompts {
  return {
    confirm: async (question) => {
      recordCall('yes', question)
      return answer
    },
    multiselect: async () => undefined,
    select: async () => undefined,
    text: async (question) => {
      recordCall('text', question)
      return typed
    },
    password: async (question) => {
      recordCall('password', question)
      return typed
    },
  }
}

/** Runs a command line in this process, on a fake workspace that records its calls. */
export async function escrow(cwd: string, argv: string[], fake: Fake = {}, color = false): Promise<RunResult> {
  const ran: RunResult = { code: -1, out: '', err: '', calls: [] }
  const recordCall = (...call: unknown[]) => ran.calls.push(call)
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
    ...(fake.answer !== undefined && { ask: async () => createPrompts(fake, recordCall) }),
  }
  const library: Library = {
    openWorkspace: async (root) => {
      recordCall('open', root)
      return workspaceOf(root, fake, recordCall)
    },
    makeSigningKey: () => ({ file: '/k', created: true, fingerprint: 'SHA256:x', publicKey: 'PEM\n' }),
    makeReviewerKey: () => ({ file: '/r', created: true, fingerprint: 'SHA256:y', publicKey: 'PEM\n' }),
    hookToken: () => 'token',
    findOldState: () => undefined,
    migrateOldState: () => [],
    admitAgent: () => undefined,
    admitPerson: (root, options) => fake.admit?.(root ?? '', options),
    assertOutsideSession: () => undefined,
    admitReviewer: (root, options) => fake.admit?.(root, options),
    admitTruster: (root, options) => fake.admit?.(root, options),
    checkContainment: async () => fake.containment ?? [{ name: 'platform', ok: true }],
    probedEscapes: async () => fake.escapes,
    triedContainments: async () => fake.tried ?? [triedContainment(fake.containment?.find(({ ok }) => !ok))],
    findRepairs: async () => fake.repairs ?? { repairs: [], notes: [] },
    applyRepair: async ({ name }) => {
      recordCall('applyRepair', name)
      return fake.isRepaired ?? true
    },
    initWorkspace: async (root) => {
      recordCall('init', root)
      return { created: ['.orchestration/policy.yaml'], kept: ['.orchestration/.gitignore'] }
    },
    planClients,
    applyClients,
    foreignSettings,
    findClients,
    probeEntry: async () => fake.blocked,
    installLauncher: (entry) => recordCall('installLauncher', entry),
    editText: async (text) => text,
  }
  ran.code = await run(argv, io, async () => library)
  return ran
}

/** The overlay mount as tried, with the prerequisite that it lacks. */
function triedContainment(missing: Capability | undefined): TriedContainment {
  const shared = {
    name: 'namespace-overlay',
    title: 'a mount',
    keeps: [],
    tree: 'overlay',
    cannot: [],
    lacks: [],
  } as const
  if (missing === undefined) return { ...shared, works: true }
  const { name, problem = '', fix = '' } = missing
  return { ...shared, works: false, failure: { what: name, problem, fix } }
}

function workspaceOf(root: string, fake: Fake, note: (...call: unknown[]) => void): Workspace {
  const refuse = async (): Promise<never> => {
    throw unsupported('This')
  }
  const intent = { id: 'INT-001', name: 'Billing', status: 'IN_PROGRESS' as const }
  const rest = { ownedScope: [], constraints: [], acceptanceCriteria: [], checks: [], dependsOn: [] }
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
      records: async function* ({ order } = {}) {
        const { records = [] } = fake
        yield* order === 'newest' ? records.toReversed() : records
      },
      verify: async (options) => {
        note('verify', ...(options ? [options] : []))
        return fake.verify ?? { ok: true, records: 2 }
      },
      blame: async (path) => {
        note('blame', path)
        return fake.blame ?? []
      },
      problem: async () => undefined,
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
    removeEmptySession: async (id) => {
      note('remove', id)
      return fake.sessions?.find((each) => each.id === id)?.changes === 0
    },
    review: async (id) => {
      note('review', id)
      return reviewOf(id, fake, note)
    },
    undo: async (id) => {
      note('undo', id)
      return reviewOf('undo-4', fake, note)
    },
    testRelease: async (commit) => {
      note('testRelease', commit)
      return fake.release?.decisions.slice() ?? []
    },
    adopt: async (options) => {
      note('adopt', options)
      return { written: [], left: 0 }
    },
    importNotes: async (ref) => {
      note('importNotes', ref)
      return { imported: [] }
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
    [Symbol.asyncDispose]: async () => note('close'),
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
  const checks = async () => fake.checks ?? { selection: 'all' as const, tree: 'sha256:0', checks: [] }
  return {
    sessionId,
    check: async (options) => {
      note('check', options?.selection)
      return checks()
    },
    checks,
    checklist: async () => fake.checklist ?? [],
    patches: async (per) => {
      note('patches', per)
      return []
    },
    tick: async (...call) => note('tick', ...call),
    release: async (options) => {
      note('release', options)
      return fake.release ?? { decisions: [], approved: [] }
    },
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
    recordLanded: async (paths) => [...paths],
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
