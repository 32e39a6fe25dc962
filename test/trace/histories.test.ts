import { rmSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BlameLine, CommitResult, Session, Workspace } from '../../src/core/api.js'
import { fuzzParameters } from '../support/fuzz.js'
import { type TestWorkspace, testWorkspace } from '../support/workspace.js'
import { type Files, KINDS, type Owned, type Step, textOf, Writer } from './history.js'

const INTENTS = 'active_intents:\n  - { id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ["**"] }\n'
const ANN = { name: 'Ann' }

const number = fc.nat({ max: 1000 })
const step: fc.Arbitrary<Step> = fc.record({ kind: fc.constantFrom(...KINDS), a: number, b: number, c: number })
const steps = fc.array(step, { minLength: 1, maxLength: 4 })
const turn = fc.oneof(
  { weight: 6, arbitrary: fc.record({ who: fc.constant('agent' as const), steps }) },
  { weight: 2, arbitrary: fc.record({ who: fc.constant('reviewed' as const), steps, edit: number }) },
  { weight: 3, arbitrary: fc.record({ who: fc.constant('outside' as const), steps }) },
  { weight: 2, arbitrary: fc.record({ who: fc.constant('undo' as const) }) },
)
type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never

/** A history, performed on a real workspace and in the model at the same time. */
class History {
  readonly #writer = new Writer()
  #files: Files = new Map()
  /** Files whose lines the ledger has, whatever their state on disk. */
  readonly #known = new Set<string>()
  /** The latest commit, and the commit that it was based on. */
  #last: { readonly result: CommitResult; readonly before: Files } | undefined
  #turns = 0

  constructor(
    private readonly project: TestWorkspace,
    private readonly workspace: Workspace,
  ) {
    this.#land(new Map([1, 2, 3].map((n) => [`src/old${n}.ts`, this.#writer.write('unknown', 6)])))
  }

  get files(): Files {
    return this.#files
  }

  async live(turn: Turn): Promise<void> {
    this.#turns++
    if (turn.who === 'undo') await this.#undo()
    else if (turn.who === 'outside') this.#outside(turn.steps)
    else await this.#commit(turn.steps, turn.who === 'reviewed' ? turn.edit : undefined)
  }

  async #commit(steps: readonly Step[], edit: number | undefined): Promise<void> {
    const [id, before] = [`s${this.#turns}`, this.#files]
    const session = await this.workspace.session({ id, agent: { model: id } })
    await session.selectIntent('INT-001')
    // The ledger knows another tool's lines only after a commit has included them.
    for (const each of steps)
      this.#act(
        session.fs,
        each,
        () => id,
        (line) => line.seen,
      )
    await session.close()
    const review = await this.workspace.review(id)
    const staged = (await review.changes()).changes.filter(({ kind }) => kind === 'modify' || kind === 'create')
    const edited = edit === undefined ? undefined : staged[edit % Math.max(1, staged.length)]?.path
    if (edited !== undefined && edit !== undefined) {
      const lines = this.#files.get(edited) ?? []
      const at = edit % (lines.length + 1)
      const newLines = [...lines.slice(0, at), ...this.#writer.write('human', 2), ...lines.slice(at)]
      this.#files = new Map([...this.#files, [edited, newLines]])
      await review.edit(edited, textOf(newLines), ANN)
    }
    const { changes } = await review.changes()
    if (changes.length === 0) return
    await review.approve(undefined, ANN)
    this.#landed(changes)
    this.#last = { result: await review.commit(), before }
  }

  #landed(changes: readonly { path: string; from?: string; before: string | null; after: string | null }[]): void {
    for (const { path, from, before, after } of changes) {
      const isKnown = this.#known.has(from ?? path)
      if (from !== undefined) this.#known.delete(from)
      if (after === null) this.#known.delete(path)
      else if (before !== after || isKnown) this.#known.add(path)
    }
    const met = new Set(changes.flatMap(({ path, from = path }) => [path, from]))
    for (const [path, lines] of this.#files) if (met.has(path) && this.#known.has(path)) markSeen(lines)
  }

  /** An agent's lines belong to its session, from the write to the stage and in the model. */
  #act(
    fs: Session['fs'],
    each: Step,
    owner: (path: string) => string,
    mayTake: (line: Owned, path: string) => boolean,
  ) {
    const next = this.#writer.step(this.#files, each, owner, mayTake)
    const [from] = [...this.#files.keys()].filter((path) => !next.has(path))
    const [to] = [...next.keys()].filter((path) => !this.#files.has(path))
    if (each.kind === 'rename' && from !== undefined && to !== undefined) fs.renameSync(from, to)
    else {
      for (const path of this.#files.keys()) if (!next.has(path)) fs.rmSync(path)
      for (const [path, lines] of next) if (this.#files.get(path) !== lines) fs.writeFileSync(path, textOf(lines))
    }
    this.#files = next
  }

  #outside(steps: readonly Step[]): void {
    this.#last = undefined
    const owner = (path: string) => (this.#known.has(path) ? 'human' : 'unknown')
    const mayTake = (line: Owned, path: string) => line.seen && this.#known.has(path)
    for (const each of steps) {
      // The ledger does not know a file that a person renamed and then changed: see its unit tests.
      if (each.kind !== 'rename') this.#land(this.#writer.step(this.#files, each, owner, mayTake))
    }
  }

  async #undo(): Promise<void> {
    if (this.#last === undefined) return
    const { result, before } = this.#last
    const review = await this.workspace.undo(result.id)
    const { changes } = await review.changes()
    if (changes.length === 0) return
    await review.approve(undefined, ANN)
    const earlier = this.#files
    this.#files = before
    this.#landed(changes)
    this.#last = { result: await review.commit(), before: earlier }
  }

  #land(next: Files): void {
    for (const path of this.#files.keys()) if (!next.has(path)) rmSync(`${this.project.root}/${path}`)
    for (const [path, lines] of next) if (this.#files.get(path) !== lines) this.project.write(path, textOf(lines))
    this.#files = next
  }
}

function markSeen(lines: readonly Owned[]): void {
  for (const line of lines) line.seen = true
}

function ownerIn({ model, contributor }: BlameLine): string {
  return model ?? contributor
}

describe('blame, over random histories', () => {
  it('agrees line by line with a model that moves lines as objects', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 1, maxLength: 7 }), async (turns) => {
        const project = testWorkspace({}, INTENTS)
        const workspace = await project.open()
        const history = new History(project, workspace)
        for (const each of turns) await history.live(each)
        for (const [path, lines] of history.files) {
          expect(project.text(path)).toBe(textOf(lines))
          const blamed = await workspace.ledger.blame(path)
          expect(blamed.map(ownerIn), `${path}\n${textOf(lines)}`).toEqual(lines.map(({ owner }) => owner))
        }
        expect((await workspace.ledger.verify()).ok).toBe(true)
        await workspace.close()
        rmSync(project.root, { recursive: true, force: true })
      }),
      fuzzParameters(40),
    )
  })
})
