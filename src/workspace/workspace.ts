// Long because: it is the composition root, the one file that joins every room.

import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { diffStage, foldsNames } from '../../overlay/index.js'
import { assertOutsideSession, GITIGNORE, physicalRoot, requireOutsideSession } from '../access/index.js'
import { recover } from '../commit/index.js'
import type {
  ChangeSet,
  IntentRegistry,
  Ledger,
  Recovery,
  Review,
  Session,
  SessionOptions,
  SessionSummary,
  TrustReport,
  Workspace,
  WorkspaceNews,
  WorkspaceOptions,
} from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import type { AdoptOptions, AdoptReport, ImportReport } from '../core/git-api.js'
import { isSessionId } from '../core/ids.js'
import type { Layout } from '../core/layout.js'
import { type AgentInfo, checkedAgent, checkedReviewer, type Reviewer } from '../core/people.js'
import type { ReleaseDecision } from '../core/release-api.js'
import {
  type IntentMemories,
  type IntentVersions,
  openMemories,
  openVersions,
  recordedRegistry,
} from '../history/index.js'
import { openRegistry, type RegistryStore } from '../intents/index.js'
import { gitUser } from '../os/git.js'
import { assertHeld, withProcessLock } from '../os/lock.js'
import { isOwned, type Lease, takeOwnership } from '../os/owner.js'
import { sessionAgent } from '../os/session-agent.js'
import { createShared, hasOrchestration, sharedExists } from '../os/shared-files.js'
import { layoutAt, prepareState } from '../os/workspace-state.js'
import { ensurePrivateDir, removeName, removeTree, replaceDurable } from '../os/write.js'
import { createPolicy, openPolicyFile, type Policy, type PolicyState } from '../policy/index.js'
import { openReviewLog, type ReviewLog } from '../review/index.js'
import {
  type LocalSession,
  readOnlyLedger,
  selectNamedIntent,
  sessionBusy,
  sessionFailure,
  unknownSession,
} from '../session/index.js'
import { MEMORY, removeEmptySession, type StageStore, stageReader } from '../stage/index.js'
import { type LedgerStore, openLedger, parseDraft } from '../trace/index.js'
import { watchWorkspace } from './watch.js'

/** Milliseconds to wait for another process to release a session. */
const BUSY_WAIT_MS = 5_000

/**
 * Opens a workspace, and finishes or rolls back commits that a crash interrupted. It scans no files and starts no process.
 * @param root the workspace's directory: a path or a `file:` URL
 * @throws EscrowError `access_denied` where the directory cannot be read; `ledger_corrupt` if the record of an interrupted
 * commit cannot be appended
 */
export async function openWorkspace(root: string | URL, options: WorkspaceOptions = {}): Promise<Workspace> {
  const requested = resolve(root instanceof URL ? fileURLToPath(root) : root)
  const layout = layoutAt(physicalRoot(requested))
  hasOrchestration(layout)
  const ledger = openLedger(layout, {
    history: async (path) => (await import('../git/index.js')).fileHistory(layout.root, path),
    earlierLines: async () => (await import('../git/index.js')).ledgerLines(layout.root),
  })
  const workspace = new LocalWorkspace(layout, [requested], ledger, options)
  await workspace.recover()
  return workspace
}

class LocalWorkspace implements Workspace {
  readonly root: string
  readonly intents: IntentRegistry
  readonly #registry: RegistryStore
  readonly #versions: IntentVersions
  readonly #memories: IntentMemories
  readonly ledger: Ledger
  readonly #open = new Map<string, Promise<LocalSession>>()
  readonly #policyFile: () => PolicyState
  readonly #policy: Policy
  readonly #watches = new Set<() => void>()
  /** The session that was read last. */
  #lastRead: { readonly id: string; readonly read: () => StageStore } | undefined
  #recovered: Recovery = { finished: [], rolledBack: [], left: [] }

  constructor(
    private readonly layout: Layout,
    private readonly aliases: readonly string[],
    private readonly store: LedgerStore,
    private readonly options: WorkspaceOptions,
  ) {
    this.root = layout.root
    this.ledger = { ...store, join: requireOutsideSession(store.join), anchor: requireOutsideSession(store.anchor) }
    this.#registry = openRegistry(layout)
    this.#versions = openVersions(this.#registry, store)
    this.#memories = openMemories(layout, store)
    this.intents = recordedRegistry(this.#registry, this.#versions, store, layout.root)
    this.#policyFile = openPolicyFile(layout)
    this.#policy = createPolicy({
      intents: () => this.#registry.state(),
      activeIntentId: () => undefined,
      policy: this.#policyFile,
      base: () => 'fresh',
    })
  }

  session(options: SessionOptions): Promise<Session> {
    const known = this.#open.get(options.id)
    if (known) return known
    const opening = this.#openSession(options)
    this.#open.set(options.id, opening)
    opening.catch(() => this.#open.delete(options.id))
    return opening
  }

  async sessions(): Promise<SessionSummary[]> {
    if (!existsSync(this.layout.sessions)) return []
    const ids = readdirSync(this.layout.sessions).filter(isSessionId).sort()
    return Promise.all(ids.map((id) => this.#summary(id)))
  }

  async removeEmptySession(id: string, { unusedMs = 0 } = {}): Promise<boolean> {
    if (!isSessionId(id) || this.#open.has(id)) return false
    if (this.#lastRead?.id === id) this.#lastRead = undefined
    return removeEmptySession(this.layout, id, unusedMs)
  }

  async review(sessionId: string): Promise<Review> {
    if (!this.#exists(sessionId)) throw await this.#unknownSession(sessionId)
    const { reviewOf } = await import('../release/index.js')
    const log = this.#reviewLog(sessionId)
    const read = this.#readerOf(sessionId)
    return reviewOf({
      layout: this.layout,
      sessionId,
      log,
      ledger: this.store,
      stage: () => this.#stageOf(sessionId, log, read),
      ingestCommit: async () => {
        if (this.#open.has(sessionId)) await this.#stageOf(sessionId, log)
      },
      agent: () => sessionAgent(this.layout, sessionId),
      withSession: (work) => this.#withSession(sessionId, work),
      intents: this.#registry,
      versions: this.#versions,
      policyFile: this.#policyFile,
      policy: this.#policy,
    })
  }

  async undo(commits: string | readonly string[]): Promise<Review> {
    assertOutsideSession()
    const { stageUndo } = await import('../release/index.js')
    return this.review(await stageUndo(this.layout, [commits].flat()))
  }

  async previewUndo(commits: string | readonly string[]): Promise<ChangeSet> {
    const { sessionId, changes } = await this.undo(commits)
    return changes().finally(() => removeTree(this.layout.session(sessionId).dir))
  }

  async testRelease(commit: string): Promise<ReleaseDecision[]> {
    assertOutsideSession()
    const { decideOnCommit } = await import('../release/index.js')
    return decideOnCommit(this.layout, this.#policyFile(), commit)
  }

  async adopt(options: AdoptOptions): Promise<AdoptReport> {
    assertOutsideSession()
    const { adoptCommits } = await import('../git/index.js')
    return adoptCommits(this.root, options, this.store.commitNotes)
  }

  async importNotes(ref: string): Promise<ImportReport> {
    assertOutsideSession()
    const { importNotes } = await import('../git/index.js')
    return importNotes(this.root, ref)
  }

  async policyProblem(): Promise<string | undefined> {
    const state = this.#policyFile()
    return state.ok ? undefined : state.message
  }

  async trust(): Promise<TrustReport> {
    const { compareFiles } = await import('../trust/index.js')
    return compareFiles(this.layout)
  }

  async accept(digest: string, by: Reviewer = gitUser(this.root)): Promise<void> {
    assertOutsideSession()
    const { acceptFiles } = await import('../trust/index.js')
    const person = checkedReviewer(by)
    await withProcessLock(this.layout.locks, 'intents', (lost) =>
      acceptFiles(this.layout, digest, person, () => assertHeld(lost, 'the accepted files')),
    )
  }

  async mapIntents(): Promise<string> {
    const { rebuildMap } = await import('../history/intent-map.js')
    return rebuildMap({ layout: this.layout, intents: () => this.#registry.state() }, this.store)
  }

  async recover(): Promise<Recovery> {
    if (!hasOrchestration(this.layout)) return this.#recovered
    const landed: string[] = []
    const { finished, removed, conflicts } = await recover(this.layout, async (record) => {
      await this.store.appendOnce(parseDraft(record))
      const { landRecorded } = await import('../release/index.js')
      landed.push(...landRecorded(this.layout, record))
    })
    const { finished: before, rolledBack, left, warnings = [] } = this.#recovered
    const all = [...warnings, ...landed]
    this.#recovered = {
      finished: [...before, ...finished],
      rolledBack: [...rolledBack, ...removed],
      left: [...left, ...conflicts],
      ...(all.length > 0 && { warnings: all }),
    }
    return this.#recovered
  }

  watch(onChange: (news: WorkspaceNews) => void): () => void {
    const end = watchWorkspace(this.layout, onChange)
    this.#watches.add(end)
    return () => {
      this.#watches.delete(end)
      end()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async close(): Promise<void> {
    for (const end of this.#watches) end()
    this.#watches.clear()
    const open = await Promise.allSettled(this.#open.values())
    const closed = await Promise.allSettled(open.map((each) => each.status === 'fulfilled' && each.value.close()))
    const failed = closed.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
  }

  async #openSession({ id, agent: given }: SessionOptions): Promise<LocalSession> {
    if (!isSessionId(id))
      throw new EscrowError(
        'path_escape',
        `"${id}" is not a valid session id. Use at most 100 letters, digits, "-", "_" and ".".`,
      )
    const agent = given && checkedAgent(given)
    // Commands would read it as an option. A session of that name from an older version still opens.
    if (id.startsWith('-') && !existsSync(this.layout.session(id).dir))
      throw new EscrowError('path_escape', `"${id}" is not a valid session id, because it begins with "-".`)
    // Loaded here because a reviewer's process never needs the session's modules, which take long to load.
    const { LocalSession } = await import('../session/session.js')
    // Without .orchestration every write is denied, so there is nothing to store.
    const isStored = this.options.durability !== 'memory' && hasOrchestration(this.layout)
    const { dir, owner, meta, socketFile } = this.layout.session(id)
    let lease: Lease | undefined
    try {
      if (isStored) {
        this.#prepare(dir)
        lease = await takeOwnership(owner, BUSY_WAIT_MS)
        if (!lease) throw sessionBusy(id, owner)
        // A killed owner leaves its socket behind.
        removeName(socketFile)
      }
      const keepAgent = (each: AgentInfo) => isStored && replaceDurable(meta, JSON.stringify(each))
      if (agent) keepAgent(agent)
      const session = new LocalSession({
        id,
        agent: agent ?? sessionAgent(this.layout, id),
        saveAgent: keepAgent,
        layout: this.layout,
        aliases: this.aliases,
        foldsNames: foldsNames(this.layout.dir),
        durability: isStored ? (this.options.durability ?? 'process') : 'memory',
        memory: this.options.memory ?? MEMORY,
        registry: this.#registry,
        versions: this.#versions,
        memories: this.#memories,
        policyFile: this.#policyFile,
        ledger: hasOrchestration(this.layout) ? this.store : readOnlyLedger(this.store),
        reviews: this.#reviewLog(id),
        lease,
        approver: this.options.approver,
        check: async (options) => (await this.review(id)).check(options),
        recordAnswer: async (question, answer) => (await this.review(id)).answer(question, answer),
        onClose: () => this.#open.delete(id),
      })
      await selectNamedIntent(session, this.#registry.state())
      return session
    } catch (error) {
      lease?.release()
      throw sessionFailure(id, error)
    }
  }

  async #withSession<T>(id: string, work: (session: LocalSession) => Promise<T>): Promise<T> {
    const wasOpen = this.#open.has(id)
    await this.session({ id })
    const session = await this.#open.get(id)
    if (!session) throw sessionBusy(id, this.layout.session(id).owner)
    try {
      return await work(session)
    } finally {
      if (!wasOpen) await session.close()
    }
  }

  #prepare(dir: string): void {
    prepareState(this.layout)
    ensurePrivateDir(dir)
    if (!sharedExists(this.layout.gitignore)) createShared(this.layout.gitignore, GITIGNORE)
  }

  #exists(id: string): boolean {
    return isSessionId(id) && (this.#open.has(id) || existsSync(this.layout.session(id).dir))
  }

  async #unknownSession(id: string): Promise<EscrowError> {
    const ids = (await this.sessions()).map((each) => each.id)
    return unknownSession(id, ids)
  }

  /** Listing the sessions, then reviewing the only one of them, replays its log once. One stage at most stays in memory. */
  #readerOf(id: string): () => StageStore {
    if (this.#lastRead?.id !== id) this.#lastRead = { id, read: stageReader(this.layout, id) }
    return this.#lastRead.read
  }

  /** The stage of a session that is open in this process, else the stage read from its files. */
  async #stageOf(id: string, log: ReviewLog, read = this.#readerOf(id)): Promise<StageStore> {
    // A session that failed to open can still be read.
    const live = await this.#open.get(id)?.catch(() => undefined)
    const store = live?.store ?? read()
    store.settle(log.read())
    return store
  }

  #reviewLog(id: string): ReviewLog {
    return openReviewLog(this.layout.session(id).review, this.layout.locks)
  }

  /** One damaged session must not hide the others. */
  async #summary(id: string): Promise<SessionSummary> {
    const agent = sessionAgent(this.layout, id)
    const live = this.#open.has(id) || isOwned(this.layout.session(id).owner)
    const summary = { id, live, ...(agent && { agent }) }
    try {
      const store = await this.#stageOf(id, this.#reviewLog(id))
      const { changes } = diffStage(store.overlay)
      const intents = [...new Set(changes.flatMap(({ intentId }) => intentId ?? []))]
      return { ...summary, changes: changes.length, ...(intents.length > 0 && { intents }) }
    } catch (error) {
      return { ...summary, changes: 0, damaged: errorText(error) }
    }
  }
}
