import fs from 'node:fs'
import { dirname } from 'node:path'
import { digest } from '../../overlay/digest.js'
import { invalidateTick } from '../../overlay/tick.js'
import type { Change, Review, Session, Workspace } from '../../src/core/api.js'
import { EscrowError } from '../../src/core/api-error.js'
import { openWorkspace } from '../../src/index.js'
import { tempDir, treeOf } from '../support/facade.js'
import { trust } from '../support/trust.js'
import { type Cast, type FileAct, type Files, perform, type ReviewAct, type Step, touches } from './steps.js'

/**
 * Agents, people and a reviewer in one workspace. After each step the promises are checked that every history must
 * keep:
 *
 * 1. A commit replaces or removes only files that its approval showed: a file that is on disk when it starts, and has
 *    changed or is missing when it ends, is the `before` of an approved change of that path.
 * 2. A session sees the disk with its changes: every difference between them is in a change.
 * 3. A change that nobody else has touched can be committed: only names that people or other sessions touched are left
 *    out.
 * 4. If nobody else acts, each call of the agent has the result of a plain directory, and the trees are equal.
 */

const INTENTS = `active_intents:
  - {id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ["**"]}
`
const BEGINNING: readonly (readonly [path: string, text: string])[] = [
  ['a', 'one\ntwo\n'],
  ['b/a', 'three\n'],
  ['d/b', 'four\nfive\n'],
]
const ANN = { name: 'Ann' }

const DIR = 'dir'

/** The visible state of a tree: a file's content and whether it is executable, a link's target. */
type Tree = ReadonlyMap<string, string>

export class World {
  static async open(cast: Cast): Promise<World> {
    const world = new World(cast)
    await world.#enter()
    return world
  }

  readonly #disk = tempDir('escrowfs-history-')
  /** A plain directory on which the agent's calls are repeated, as long as nobody else acts. */
  readonly #plain = tempDir('escrowfs-plain-')
  readonly #sessions: Session[] = []
  /** The changes that approvals have shown since the last commit, by session. */
  readonly #shown: Change[][] = [[], []]
  /** Names that anybody other than the session itself has touched. */
  /** Files of the plain directory that had several names when they were committed, by inode number. */
  readonly #landedLinks = new Set<number>()
  readonly #foreign: Set<string>[] = [new Set(), new Set()]
  #workspace: Workspace | undefined
  #lastCommit = ''

  private constructor(private readonly cast: Cast) {
    fs.mkdirSync(`${this.root}/.orchestration`)
    fs.writeFileSync(`${this.root}/.orchestration/active_intents.yaml`, INTENTS)
    trust(this.root)
    for (const root of [this.root, this.#plain.path]) {
      for (const [path, text] of BEGINNING) {
        fs.mkdirSync(dirname(`${root}/${path}`), { recursive: true })
        fs.writeFileSync(`${root}/${path}`, text)
      }
    }
    invalidateTick()
  }

  get root(): string {
    return this.#disk.path
  }

  get #isAlone(): boolean {
    return !this.cast.people && !this.cast.second
  }

  async #enter(): Promise<void> {
    this.#workspace = await openWorkspace(this.root)
    this.#sessions.length = 0
    for (const id of this.cast.second ? ['s0', 's1'] : ['s0']) {
      const session = await this.#workspace.session({ id, agent: { tool: 'history' } })
      await session.selectIntent('INT-001')
      this.#sessions.push(session)
    }
  }

  async close(): Promise<void> {
    await this.#workspace?.close()
    this.#disk.dispose()
    this.#plain.dispose()
  }

  async take(step: Step): Promise<void> {
    if (step.who === 'agent') await this.#agent(step)
    if (step.who === 'person') await this.#person(step.does)
    if (step.who === 'reviewer') await this.#reviewer(step.session, step.apart, step.does)
    if (step.who === 'host') await this.#host(step.does)
    await this.#views()
  }

  /** At the end everything that is possible is approved and committed, so a history ends in a usable tree. */
  async end(): Promise<void> {
    for (const at of this.#sessions.keys()) await this.#reviewer(at === 0 ? 0 : 1, false, { act: 'approve and commit' })
    await this.#views()
    if (!this.#isAlone) return
    const [session] = this.#sessions
    const { changes } = (await session?.changes()) ?? { changes: [] }
    if (changes.length > 0) throw new Error(`Changes are left after all was committed: ${printChanges(changes)}`)
    same('the disk and a plain directory', this.#rowsOf(fs, this.root), this.#rowsOf(fs, this.#plain.path))
  }

  /** Every name with its entry and, until links are committed, the number of names of a file. */
  #rowsOf(api: Files, root: string): string[] {
    const rows = treeOf(api, root).filter((row) => !row.startsWith('.orchestration'))
    const names = (path: string) => `${path} has ${api.lstatSync(`${root}/${path}`).nlink} names`
    const links = this.#landedLinks.size > 0 ? [] : [...filesAt(api, root).keys()].map(names)
    return [...rows, ...links].sort()
  }

  /** A write through one name of a file with several names on disk separates them. */
  #part(path: string): void {
    const at = `${this.#plain.path}/${path}`
    if (!fs.existsSync(at)) return
    const real = fs.realpathSync(at)
    if (!this.#landedLinks.has(fs.statSync(real).ino)) return
    fs.copyFileSync(real, `${real}.part`)
    fs.renameSync(`${real}.part`, real)
  }

  async #agent({ session: at, form, does }: Extract<Step, { who: 'agent' }>): Promise<void> {
    const session = this.#sessions[at]
    if (!session) return
    const answer = await perform(session.fs, this.root, does, form)
    if (!this.#isAlone) return
    for (const path of touches(does)) this.#part(path)
    const expected = await perform(fs, this.#plain.path, does, form)
    if (answer !== expected) throw new Error(`${JSON.stringify(does)}: ${answer}, and ${expected} on a plain directory`)
    same('the view and a plain directory', this.#rowsOf(session.fs, this.root), this.#rowsOf(fs, this.#plain.path))
  }

  async #person(does: FileAct): Promise<void> {
    await perform(fs, this.root, does, 'sync')
    for (const foreign of this.#foreign) for (const path of touches(does)) foreign.add(path)
    invalidateTick()
  }

  async #host(does: 'reopen' | 'flush'): Promise<void> {
    if (does === 'flush') {
      for (const session of this.#sessions) await session.flush()
      return
    }
    await this.#workspace?.close()
    await this.#enter()
  }

  /** @param apart by a new object that shares nothing with the sessions, like another process */
  async #reviewer(at: 0 | 1, apart: boolean, does: ReviewAct): Promise<void> {
    if (!this.#sessions[at] || !this.#workspace) return
    const workspace = apart ? await openWorkspace(this.root) : this.#workspace
    try {
      const review = await workspace.review(`s${at}`)
      if (does.act === 'undo') await this.#undo(workspace)
      if (does.act === 'discard') {
        await unlessRefused(() => review.discard())
        // A session gets it with its next call, and then sees what was written on the disk below.
        for (const session of this.#sessions) await session.changes()
      }
      if (does.act === 'approve' || does.act === 'approve and commit')
        await this.#approve(review, at, 'only' in does ? does.only : undefined)
      if (does.act === 'commit' || does.act === 'approve and commit') await this.#commit(review, at)
    } finally {
      if (apart) await workspace.close()
    }
  }

  async #approve(review: Review, at: 0 | 1, only?: number): Promise<void> {
    const { changes } = await review.changes()
    const chosen = only === undefined ? changes : changes.slice(only, only + 1)
    if (chosen.length === 0) return
    const verdict = await unlessRefused(() =>
      review.approve(only === undefined ? undefined : chosen.map(({ path }) => path), ANN),
    )
    if (verdict === undefined) return
    const taken = new Set(verdict.paths)
    // A path is selected with all changes at it.
    this.#shown[at]?.push(...changes.filter(({ path }) => taken.has(path)))
    const left = chosen.filter(({ path }) => !taken.has(path))
    this.#mayBeLeft(
      at,
      left.map(({ path, from }) => ({ path, from })),
      'approve',
    )
  }

  async #commit(review: Review, at: 0 | 1): Promise<void> {
    const { changes } = await review.changes()
    const origins = new Map(changes.map(({ path, from }) => [path, from]))
    const contents = new Map(changes.map(({ path, after }) => [path, after]))
    const before = treeAt(fs, this.root)
    const result = await unlessRefused(() => review.commit())
    const after = treeAt(fs, this.root)
    const displayed = this.#shown[at] ?? []
    for (const [path, held] of before) {
      if (after.get(path) === held || held === DIR) continue
      if (contentOf(after.get(path)) === contentOf(held) && !this.cast.people) continue
      const isShown = displayed.some(
        (change) => (change.path === path || change.from === path) && change.before === contentOf(held),
      )
      if (!isShown) throw new Error(`The commit has changed ${path}, whose content no approval had shown.`)
    }
    if (result === undefined) return
    this.#shown[at] = []
    if (result.id !== '') {
      this.#lastCommit = result.id
      for (const path of filesAt(fs, this.#plain.path).keys()) {
        const { ino, nlink } = fs.lstatSync(`${this.#plain.path}/${path}`)
        if (nlink > 1) this.#landedLinks.add(ino)
      }
    }
    // A file that the agent wrote again after its approval needs another one, whoever else acted.
    const isShownNow = (path: string) =>
      displayed.some((each) => each.path === path && each.after === contents.get(path))
    const left = [...result.conflicts, ...(result.left ?? []).filter(({ path }) => isShownNow(path))]
    this.#mayBeLeft(
      at,
      left.map(({ path }) => ({ path, from: origins.get(path) })),
      'commit',
    )
    const changed = [...before.keys(), ...after.keys()].filter((path) => before.get(path) !== after.get(path))
    for (const path of changed) this.#foreign[at === 0 ? 1 : 0]?.add(path)
  }

  async #undo(workspace: Workspace): Promise<void> {
    if (this.#lastCommit === '') return
    const id = this.#lastCommit
    this.#lastCommit = ''
    const review = await unlessRefused(() => workspace.undo(id))
    if (!review) return
    const { changes } = await review.changes()
    const verdict = await unlessRefused(() => review.approve(undefined, ANN))
    if (!verdict) return
    const before = treeAt(fs, this.root)
    await unlessRefused(() => review.commit())
    const after = treeAt(fs, this.root)
    for (const [path, held] of before) {
      if (after.get(path) === held || held === DIR) continue
      const isShown = changes.some(
        (change) => (change.path === path || change.from === path) && change.before === contentOf(held),
      )
      if (!isShown) throw new Error(`The undo has changed ${path}, whose content no approval had shown.`)
    }
    const changed = [...before.keys(), ...after.keys()].filter((path) => before.get(path) !== after.get(path))
    for (const foreign of this.#foreign) for (const path of changed) foreign.add(path)
  }

  #mayBeLeft(at: 0 | 1, left: readonly { path: string; from?: string | undefined }[], what: string): void {
    const foreign = [...(this.#foreign[at] ?? [])]
    for (const { path, from } of left) {
      const names = from === undefined ? [path] : [path, from]
      if (names.some((name) => foreign.some((other) => isRelated(name, other)))) continue
      throw new Error(`${what} has left out ${path}, which nobody else has touched.`)
    }
  }

  /** Each session sees the disk, except for its changes. */
  async #views(): Promise<void> {
    invalidateTick()
    const disk = treeAt(fs, this.root)
    for (const session of this.#sessions) {
      const view = treeAt(session.fs, this.root)
      const differing = [...new Set([...disk.keys(), ...view.keys()])].filter((path) =>
        isOther(disk.get(path), view.get(path)),
      )
      if (differing.length === 0) continue
      const { changes } = await session.changes()
      const reported = new Set(changes.flatMap(({ path, from }) => (from === undefined ? [path] : [path, from])))
      // A directory of the session in place of a file is reported by its entries.
      const isSaid = (path: string) =>
        reported.has(path) || (view.get(path) === DIR && [...reported].some((each) => each.startsWith(`${path}/`)))
      const unsaid = differing.filter((path) => !isSaid(path))
      if (unsaid.length > 0)
        throw new Error(
          `No change of ${session.id} says why it sees ${unsaid.map((path) => `${path} as ${view.get(path)}, not ${disk.get(path)}`).join('; ')}: ${printChanges(changes)}`,
        )
    }
  }
}

function isRelated(a: string, b: string): boolean {
  return a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
}

function printChanges(changes: readonly Change[]): string {
  return changes.map(({ kind, path, from, flags }) => `${kind} ${from ?? ''} ${path} [${flags}]`).join(', ')
}

/** Refusals are results like others here: only a failure of another kind ends a history. */
async function unlessRefused<T>(run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof EscrowError) return undefined
    throw error
  }
}

function same(what: string, a: readonly string[], b: readonly string[]): void {
  if (a.join('\n') !== b.join('\n')) throw new Error(`${what} differ:\n${a.join('\n')}\n---\n${b.join('\n')}`)
}

function treeAt(api: Files, root: string): Tree {
  const tree = new Map<string, string>()
  const visit = (below: string) => {
    for (const name of api.readdirSync(`${root}/${below}`)) {
      const path = below === '' ? name : `${below}/${name}`
      if (path === '.orchestration') continue
      const stats = api.lstatSync(`${root}/${path}`)
      if (stats.isDirectory()) {
        tree.set(path, DIR)
        visit(path)
      } else if (stats.isSymbolicLink()) tree.set(path, `link ${digest(api.readlinkSync(`${root}/${path}`))}`)
      else tree.set(path, `${(stats.mode & 0o7777).toString(8)} ${digest(api.readFileSync(`${root}/${path}`))}`)
    }
  }
  visit('')
  return tree
}

/** A directory appears and disappears with its entries. */
function isOther(a: string | undefined, b: string | undefined): boolean {
  const [one, other] = [a, b].map((held) => (held === DIR ? undefined : held))
  return one !== other
}

function filesAt(api: Files, root: string): Tree {
  return new Map([...treeAt(api, root)].filter(([, held]) => held !== DIR))
}

function contentOf(held: string | undefined): string | undefined {
  return held?.split(' ')[1]
}
