import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BlameLine } from '../../src/index.js'
import { INTENT_IDS, Repository } from './repository.js'
import { block, editText, format, type Owner, Owners, Random } from './text.js'

/** One random history: the work of agents and a person, and git's changes of it. */

export interface Score {
  right: number
  unknown: number
  /**
   * A line with a wrong author: an agent's that is attributed to a person, or to another agent or intent, or a person's
   * that is attributed to an agent.
   */
  wrong: number
  /** The number of times that an agent's work could not be committed. */
  stopped: number
  /** The problems, as text. */
  readonly faults: string[]
}

const ADA: Owner = { kind: 'person', name: 'Ada' }
const BEFORE: Owner = { kind: 'before', name: 'before' }

type Act = (history: History) => Promise<void> | void

export class History {
  readonly owners = new Owners()
  readonly random: Random
  readonly log: string[] = []
  #renamed = 0

  private constructor(
    readonly repository: Repository,
    random: Random,
    owners: Owners,
  ) {
    this.random = random
    this.owners = owners
  }

  static async run(root: string, seed: number): Promise<History> {
    const [random, owners] = [new Random(seed), new Owners()]
    const file = () => [0, 1, 2].flatMap(() => block(owners, BEFORE, 3))
    const files = { 'src/a.ts': file(), 'src/b.ts': file(), 'lib/c.ts': file() }
    const history = new History(await Repository.make(root, seed % 2 === 0, files), random, owners)
    await history.agent()
    await history.agent()
    for (let steps = 3 + random.below(4); steps > 0; steps--) {
      const act = random.pick(ACTS)
      history.log.push(act.name)
      await act(history)
    }
    return history
  }

  get git() {
    return this.repository.git.bind(this.repository)
  }

  /** Edits one or two files as an owner. */
  edits(owner: Owner): Record<string, string[]> {
    const files: Record<string, string[]> = {}
    if (this.random.below(6) === 0) {
      const name = `src/new${this.#renamed++}.ts`
      files[name] = [0, 1].flatMap(() => block(this.owners, owner, 3))
    }
    for (let count = 1 + this.random.below(2); count > 0; count--) {
      const path = this.random.pick(this.repository.paths())
      files[path] = editText(files[path] ?? this.repository.read(path), this.owners, owner, this.random)
    }
    return files
  }

  async agent(): Promise<void> {
    const name = this.random.pick(['m-1', 'm-2'])
    const owner: Owner = { kind: 'agent', name, intent: this.random.pick(INTENT_IDS) }
    await this.repository.land(owner, this.edits(owner), this.random.below(2) === 0)
  }

  person(): void {
    this.repository.write(this.edits(ADA))
    this.repository.commit('work')
  }

  async work(): Promise<void> {
    if (this.random.below(4) === 0) this.person()
    else await this.agent()
  }

  /** Works on a branch, and a little on main. Leaves the branch checked out. */
  async branches(): Promise<void> {
    this.git('checkout', '-q', '-B', 'feature', 'main')
    for (let count = 2 + this.random.below(2); count > 0; count--) await this.work()
    if (this.random.below(3) === 0) return
    this.git('checkout', '-q', 'main')
    await this.work()
    this.git('checkout', '-q', 'feature')
  }

  newPath(path: string): string {
    return path.replace(/[^/]+$/, `moved${this.#renamed++}.ts`)
  }

  async score(): Promise<Score> {
    const score: Score = { right: 0, unknown: 0, wrong: 0, stopped: this.repository.stopped, faults: [] }
    for (const path of this.repository.paths()) {
      const lines = this.repository.read(path)
      const truth = this.owners.of(lines)
      const blamed = await this.repository.blame(path)
      for (const [at, text] of lines.entries()) this.#count(score, truth[at], blamed[at], `${path}:${at + 1} ${text}`)
    }
    return score
  }

  #count(score: Score, truth: Owner | undefined, blamed: BlameLine | undefined, where: string): void {
    const found = blamed ?? { contributor: 'unknown' as const, line: 0 }
    const verdict = judge(truth, found)
    score[verdict]++
    if (verdict === 'right') return
    const expected = [found.contributor, found.model, found.intentId, found.why]
      .filter((part) => part !== undefined)
      .join(' ')
    score.faults.push(`${verdict} ${where} is of ${truth?.name} ${truth?.intent ?? ''}, blame says ${expected}`)
  }
}

function judge(truth: Owner | undefined, { contributor, model, intentId }: BlameLine): 'right' | 'unknown' | 'wrong' {
  // The ledger has no record of older lines.
  if (truth?.kind === 'before') return contributor === 'ai' ? 'wrong' : 'right'
  if (contributor === 'unknown') return 'unknown'
  if (truth?.kind === 'person') return contributor === 'human' ? 'right' : 'wrong'
  return contributor === 'ai' && model === truth?.name && intentId === truth?.intent ? 'right' : 'wrong'
}

const squash: Act = async (history) => {
  await history.branches()
  history.git('checkout', '-q', 'main')
  if (!history.repository.try(['reset', '-q', '--hard'], 'merge', '--squash', 'feature')) return
  history.repository.commit('A pull request (#1)')
  history.git('branch', '-q', '-D', 'feature')
}

const merge: Act = async (history) => {
  await history.branches()
  history.git('checkout', '-q', 'main')
  history.repository.try(['merge', '--abort'], 'merge', '-q', '--no-ff', '--no-edit', 'feature')
}

const rebase: Act = async (history) => {
  await history.branches()
  const isDone = history.repository.try(['rebase', '--abort'], 'rebase', '-q', 'main')
  history.git('checkout', '-q', 'main')
  if (isDone) history.git('merge', '-q', '--ff-only', 'feature')
}

/** A rebase that swaps two commits, or squashes one into the previous one. */
const rebaseByHand: Act = async (history) => {
  await history.branches()
  const script = join(history.repository.root, '.git/todo.sh')
  const swap = 'sed -n 2p "$1"; sed -n 1p "$1"; sed -n "3,\\$p" "$1"'
  const fixup = 'sed "2s/^pick/fixup/" "$1"'
  writeFileSync(script, `{ ${history.random.below(2) === 0 ? swap : fixup}; } > "$1.new"\nmv "$1.new" "$1"\n`)
  const editor = `sequence.editor=sh ${script}`
  const before = history.git('rev-parse', 'HEAD').trim()
  const isDone = history.repository.try(['rebase', '--abort'], '-c', editor, 'rebase', '-q', '-i', 'main')
  if (isDone) history.repository.keepLedger(before)
  history.git('checkout', '-q', 'main')
  if (isDone) history.repository.try(['merge', '--abort'], 'merge', '-q', '--no-edit', 'feature')
}

const cherryPick: Act = async (history) => {
  await history.branches()
  const commits = history.git('rev-list', 'main..feature').trim().split('\n')
  history.git('checkout', '-q', 'main')
  history.repository.try(['cherry-pick', '--abort'], 'cherry-pick', '--allow-empty', history.random.pick(commits))
}

const amend: Act = async (history) => {
  await history.agent()
  history.repository.write(history.edits(ADA))
  history.repository.commit('amended', '--amend')
}

const revert: Act = async (history) => {
  await history.work()
  const { repository, random } = history
  const back = ['revert', '--abort']
  const isTop = repository.try(back, 'revert', '--no-edit', random.below(2) === 0 ? 'HEAD' : 'HEAD~1')
  if (isTop && random.below(2) === 0) repository.try(back, 'revert', '--no-edit', 'HEAD')
}

const move: Act = (history) => {
  const path = history.random.pick(history.repository.paths())
  const to = history.newPath(path)
  history.git('mv', path, to)
  if (history.random.below(2) === 0)
    history.repository.write({
      [to]: editText(history.repository.read(to), history.owners, ADA, history.random),
    })
  history.repository.commit('move')
}

const formatter: Act = (history) => {
  const style = history.random.below(4)
  for (const path of history.repository.paths())
    if (history.random.below(2) === 0)
      history.repository.write({ [path]: format(history.repository.read(path), style) })
  history.repository.commit('format')
}

const work: Act = (history) => history.work()

const ACTS: readonly Act[] = [
  ...[squash, merge, rebase, rebaseByHand, cherryPick, amend, revert, move, formatter, work],
]
