import { cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { digest } from '../../overlay/index.js'
import { changeKey } from '../../src/hub/change-key.js'
import { openStores, removeRepository, setRepository } from '../../src/hub/index.js'
import type { Database } from '../../src/hub/sql.js'
import type { Hold, Landing, LandingCheck, QueuedChange } from '../../src/hub/types.js'
import { runWorker, type WorkerReport } from '../../src/landing/index.js'
import { newScope } from '../hub/fixtures.js'
import { git, initEmptyRepository } from '../support/git.js'

export interface Kit {
  readonly stores: ReturnType<typeof openStores>
  readonly scope: ReturnType<typeof newScope>
  /** The repository that people push to. */
  readonly remote: string
  readonly work: string
  run(...args: string[]): string
  /** A person's commit on the branch. Null: the file is deleted. */
  push(files: Readonly<Record<string, string | null>>): void
  /** A person's commit of a link `link` and a submodule `sub`. */
  pushSpecial(): void
  /** The entry of the branch at a path. */
  read(path: string): string
  files(): string[]
  change(path: string, before: string | null, after: string | null, other?: Partial<QueuedChange>): QueuedChange
  /** Submits all changes of a session, and approves them. */
  approve(session: string, ...changes: QueuedChange[]): Promise<void>
  submit(session: string, ...changes: QueuedChange[]): Promise<string>
  decide(submission: string, verdict: 'approved' | 'rejected', ...changes: QueuedChange[]): Promise<void>
  work1(database?: Database): Promise<WorkerReport[]>
  landings(): Promise<Record<string, Landing>>
}

/** A directory for one test. */
export function place(): string {
  const created = realpathSync(mkdtempSync(join(tmpdir(), 'escrow-land-')))
  onTestFinished(() => rmSync(created, { recursive: true, force: true }))
  return created
}

/** Lands the waiting changes of the hub. */
export async function landOnce(database: Database, work: string): Promise<WorkerReport[]> {
  const reports: WorkerReport[] = []
  const { signal } = new AbortController()
  await runWorker({ database, work, signal, report: (report) => reports.push(report), once: true })
  return reports
}

/** The results of {@link repositories}. The kind of ids comes from the environment. */
const made = new Map<string, string>()

/** A directory with `remote.git`, whose branch has the given files, and a person's clone `own`. They are made once for all tests. */
function repositories(files: Readonly<Record<string, string>>): string {
  const key = JSON.stringify([files, process.env.GIT_DEFAULT_HASH])
  const known = made.get(key)
  if (known !== undefined) return known
  const root = mkdtempSync(join(tmpdir(), 'escrow-land-'))
  const [remote, own] = [join(root, 'remote.git'), join(root, 'own')]
  git(root, 'init', '-q', '--bare', '-b', 'main', remote)
  git(remote, 'config', 'receive.autoGC', 'false')
  mkdirSync(own)
  initEmptyRepository(own)
  git(own, 'remote', 'add', 'origin', '../remote.git')
  pushFrom(own, files)
  made.set(key, root)
  return root
}

/** A person's commit in a clone, pushed. Null: the file is deleted. */
function pushFrom(own: string, changed: Readonly<Record<string, string | null>>): void {
  for (const [path, text] of Object.entries(changed)) {
    if (text === null) {
      rmSync(join(own, path))
      continue
    }
    mkdirSync(dirname(join(own, path)), { recursive: true })
    writeFileSync(join(own, path), text)
  }
  git(own, 'add', '-A')
  git(own, 'commit', '-q', '-m', 'A person')
  git(own, 'push', '-q', 'origin', 'HEAD:main')
}

/** A workspace whose changes land in a git repository with the given files. */
export async function landingKit(
  database: Database,
  files: Readonly<Record<string, string>> = { 'src/a.ts': 'a\n', 'src/b.ts': 'b\n' },
  checks: readonly LandingCheck[] = [],
  directory = '',
): Promise<Kit> {
  const [root, scope] = [place(), newScope()]
  const [remote, own, work] = [join(root, 'remote.git'), join(root, 'own'), join(root, 'work')]
  cpSync(repositories(files), root, { recursive: true })
  const stores = openStores(database, scope)
  const contents = new Map<string, Uint8Array>()
  const keep = (text: string | null) => {
    if (text === null) return null
    contents.set(digest(text), Buffer.from(text))
    return digest(text)
  }
  let revision = 0
  const kit: Kit = {
    stores,
    scope,
    remote,
    work,
    run: (...args) => git(remote, ...args),
    push(changed) {
      git(own, 'pull', '-q', '--rebase', 'origin', 'main')
      pushFrom(own, changed)
    },
    pushSpecial() {
      symlinkSync('src', join(own, 'link'))
      git(own, 'update-index', '--add', '--cacheinfo', `160000,${git(own, 'rev-parse', 'HEAD').trim()},sub`)
      git(own, 'add', 'link')
      git(own, 'commit', '-q', '-m', 'Special')
      git(own, 'push', '-q', 'origin', 'HEAD:main')
    },
    read: (path) => git(remote, 'show', `main:${path}`),
    files: () => git(remote, 'ls-tree', '-r', '--name-only', 'main').trim().split('\n'),
    change(path, before, after, other = {}) {
      const kind = before === null ? 'create' : after === null ? 'delete' : 'modify'
      const shown = { before: keep(before), after: keep(after) }
      return Object.assign({ path, kind, before: shown.before, after: shown.after, risk: 0, shown } as const, other)
    },
    async submit(session, ...changes) {
      for (const [each, bytes] of contents) await stores.contents.put(each, bytes)
      const hold: Hold = { session, host: 'laptop', epoch: (await stores.registry.open(session, 'laptop')).epoch }
      revision++
      const submission = { digest: digest(JSON.stringify([revision, changes])), revision, changes }
      return (await stores.queue.submit(hold, submission)).id
    },
    decide: (submission, verdict, ...changes) =>
      stores.queue.decide(submission, { keys: changes.map((each) => changeKey(each)), verdict, reason: 'No.' }, 'Ada'),
    async approve(session, ...changes) {
      await kit.decide(await kit.submit(session, ...changes), 'approved', ...changes)
    },
    work1: (other = database) => landOnce(other, work),
    async landings() {
      return Object.fromEntries((await stores.landings.list()).reverse().map((landing) => [landing.session, landing]))
    },
  }
  await setRepository(database, Object.assign({ url: remote, branch: 'main', directory, checks }, scope))
  onTestFinished(() => removeRepository(database, scope).catch(() => undefined))
  return kit
}
