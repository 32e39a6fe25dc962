import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { initWorkspace } from '../../src/access/init.js'
import { EscrowError } from '../../src/core/api-error.js'
import { type BlameLine, type Ledger, openWorkspace } from '../../src/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { acceptFiles, compareFiles } from '../../src/trust/index.js'
import type { Owner } from './text.js'

/** A git repository that is a workspace, with a person and agents at work. */

const INTENTS = ['INT-1', 'INT-2', 'INT-3']
const INTENTS_FILE = `active_intents:\n${INTENTS.map(
  (id) => `  - { id: ${id}, name: ${id}, status: IN_PROGRESS, owned_scope: ["**"] }\n`,
).join('')}`
const REVIEWER = { name: 'Rita', email: 'rita@example.org' }
const SETTINGS = ['user.name=Ada', 'user.email=ada@example.org', 'commit.gpgsign=false', 'core.editor=true']
const LEDGER = '.orchestration/agent_trace.jsonl'

export type Contents = Readonly<Record<string, readonly string[]>>

export class Repository {
  /**
   * The number of times that an agent's work could not be committed, because git left a ledger that a person cannot
   * join or accept.
   */
  stopped = 0
  #sessions = 0

  private constructor(
    readonly root: string,
    /** Whether the ledger is in git with the sources. */
    readonly isTracked: boolean,
  ) {}

  static async make(root: string, isTracked: boolean, files: Contents): Promise<Repository> {
    const repository = new Repository(root, isTracked)
    mkdirSync(root, { recursive: true })
    repository.git('init', '-q', '-b', 'main')
    await initWorkspace(root)
    writeFileSync(join(root, '.orchestration/active_intents.yaml'), INTENTS_FILE)
    if (!isTracked) writeFileSync(join(root, '.git/info/exclude'), '.orchestration/\n')
    const layout = layoutAt(root)
    acceptFiles(layout, compareFiles(layout).digest, REVIEWER)
    repository.write(files)
    repository.commit('begin')
    return repository
  }

  git(...args: string[]): string {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
    const settings = SETTINGS.flatMap((setting) => ['-c', setting])
    const stdio = ['ignore', 'pipe', 'pipe'] as const
    return execFileSync('git', [...settings, ...args], { cwd: this.root, env, encoding: 'utf8', stdio: [...stdio] })
  }

  /**
   * Runs git, and reverts an operation that stopped at a conflict or at a commit that became empty.
   * Returns whether it succeeded.
   */
  try(undo: readonly string[], ...args: string[]): boolean {
    let isDone = true
    try {
      this.git(...args)
    } catch {
      isDone = false
    }
    // A rebase can stop without a change, and a revert of a merge is refused before it starts.
    const isStopped = existsSync(join(this.root, '.git/rebase-merge'))
    if (isStopped || (!isDone && this.git('status', '--porcelain') !== '')) this.git(...undo)
    return isDone && !isStopped
  }

  paths(): string[] {
    const all = this.git('ls-files', '--', '*.ts').split('\n')
    return all.filter((path) => path !== '' && existsSync(join(this.root, path)))
  }

  read(path: string): string[] {
    const lines = readFileSync(join(this.root, path), 'utf8').split('\n')
    return lines.slice(0, -1)
  }

  write(files: Contents): void {
    for (const [path, lines] of Object.entries(files)) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true })
      writeFileSync(join(this.root, path), textOf(lines))
    }
  }

  /** A person's commit of the whole working tree. */
  commit(message: string, ...options: string[]): void {
    this.git('add', '-A')
    this.git('commit', '-q', '--allow-empty', '-m', message, ...options)
  }

  /**
   * An agent writes, Rita approves, and the changes are committed to git by escrowfs, or by Ada. Nothing happens if git
   * left a ledger that cannot be joined.
   */
  async land({ name, intent = '' }: Owner, files: Contents, byEscrow: boolean): Promise<void> {
    if (!(await this.#joined())) return
    const workspace = await openWorkspace(this.root)
    const id = `s${this.#sessions++}`
    const session = await workspace.session({ id, agent: { tool: 'tester', model: name } })
    await session.selectIntent(intent)
    for (const [path, lines] of Object.entries(files)) {
      session.fs.mkdirSync(dirname(path), { recursive: true })
      session.fs.writeFileSync(path, textOf(lines))
    }
    await session.close()
    const review = await workspace.review(id)
    await review.approve(undefined, REVIEWER)
    await review.commit(byEscrow ? { git: {} } : {})
    await workspace.close()
    if (!byEscrow) this.commit(`${intent} by hand`)
    else if (this.isTracked) this.commit('ledger')
  }

  async blame(path: string): Promise<BlameLine[]> {
    const workspace = await openWorkspace(this.root)
    const lines = await workspace.ledger.blame(path)
    await workspace.close()
    return lines
  }

  /** After a rewrite of commits that reordered the ledger's lines, a person restores the file. */
  keepLedger(before: string): void {
    if (!this.isTracked) return
    this.git('checkout', '-q', before, '--', LEDGER)
    this.commit('ledger')
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true })
  }

  /** Joins the ledger after git merged it, and accepts one that git made shorter, as a person does. */
  async #joined(): Promise<boolean> {
    const { ledger, close } = await this.#open()
    const isIntact = async () => (await ledger.verify()).ok
    let isReady = await isIntact()
    for (let tries = 0; tries < 4 && !isReady; tries++) {
      await refusalOf(() => ledger.join(REVIEWER))
      if (!(await isIntact())) await refusalOf(() => ledger.anchor())
      isReady = await isIntact()
    }
    await close()
    if (!isReady) this.stopped++
    if (this.isTracked && this.git('status', '--porcelain') !== '') this.commit('join')
    return isReady
  }

  async #open(): Promise<{ ledger: Ledger; close: () => Promise<void> }> {
    const workspace = await openWorkspace(this.root)
    return { ledger: workspace.ledger, close: () => workspace.close() }
  }
}

export const INTENT_IDS: readonly string[] = INTENTS

async function refusalOf(call: () => Promise<unknown>): Promise<string | undefined> {
  try {
    await call()
    return undefined
  } catch (error) {
    if (error instanceof EscrowError) return error.reason
    throw error
  }
}

function textOf(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('')
}
