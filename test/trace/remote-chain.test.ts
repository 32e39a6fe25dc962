import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sha256hex } from '../../overlay/index.js'
import { EMPTY_TIP, type Tip } from '../../src/trace/chain.js'
import { placeDraft } from '../../src/trace/place.js'
import {
  type ChainEnd,
  continueChain,
  type EarlierLines,
  EMPTY_CHAIN,
  formatTip,
  headText,
  parseTip,
} from '../../src/trace/remote-chain.js'
import { forkIn, readChain } from '../../src/trace/scan.js'
import { fuzzParameters } from '../support/fuzz.js'
import { draftOf, workspaces } from './support.js'

/** A chain that is stored in memory, and gets lines in batches. */
class Kept {
  readonly lines: Buffer[] = []
  end: ChainEnd = EMPTY_CHAIN

  readonly #earlier: EarlierLines = {
    find: async (hash) => {
      const at = this.lines.findIndex((line) => sha256hex(line) === hash)
      return at === -1 ? undefined : at + 1
    },
    line: async (number) => this.lines[number - 1] ?? Buffer.alloc(0),
  }

  /** Returns the reason if the lines do not continue the chain. */
  async add(lines: readonly Buffer[]): Promise<string | undefined> {
    const continued = await continueChain(this.end, lines, this.#earlier)
    if ('problem' in continued) return continued.problem
    this.lines.push(...lines)
    // As a database keeps it.
    this.end = { tip: parseTip(formatTip(continued.end.tip)), all: continued.end.all }
    return undefined
  }
}

/** A step of a ledger's history. `branch`: a record that continues an earlier position. `merge` joins all branches. */
const STEP = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ kind: 'record' } as const) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('tool' as const), text: fc.constantFrom('{"a":1}', '{"b":2}') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('branch' as const), at: fc.nat(30) }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'merge' } as const) },
)
/** A manipulation of the lines. */
const DAMAGE = fc.option(
  fc.record({ kind: fc.constantFrom('drop', 'double', 'swap', 'edit', 'cut'), at: fc.nat(30) }),
  { freq: 2 },
)
type Step = typeof STEP extends fc.Arbitrary<infer S> ? S : never
type Damage = typeof DAMAGE extends fc.Arbitrary<infer D> ? D : never

/** The lines of a history, as git's merges and the appender write them. */
async function linesOf(steps: readonly Step[]): Promise<Buffer[]> {
  const store = new Kept()
  const tips: Tip[] = [EMPTY_TIP]
  for (const step of steps) {
    const from = step.kind === 'branch' ? (tips[step.at % tips.length] ?? EMPTY_TIP) : store.end.tip
    const isMerge = step.kind === 'merge' && store.end.tip.sides.length > 0
    const line =
      step.kind === 'tool'
        ? Buffer.from(step.text)
        : placeDraft(draftOf(isMerge ? { type: 'merge' } : {}), from, undefined).line
    // A record of a branch with another ledger cannot continue it, so that step is skipped.
    if ((await store.add([line])) === undefined) tips.push(store.end.tip)
  }
  return store.lines
}

function damageLines(lines: readonly Buffer[], damage: Damage): Buffer[] {
  const out = [...lines]
  const at = (damage?.at ?? 0) % Math.max(1, out.length)
  const [one, two] = out.slice(at, at + 2)
  if (damage === null || one === undefined) return out
  if (damage.kind === 'drop') out.splice(at, 1)
  if (damage.kind === 'double') out.splice(at, 0, one)
  if (damage.kind === 'swap' && two !== undefined) out.splice(at, 2, two, one)
  if (damage.kind === 'edit') out[at] = Buffer.from(one.toString().replace(/[a1]/, 'z'))
  if (damage.kind === 'cut') out[at] = one.subarray(0, -1)
  return out
}

describe('a chain that is stored elsewhere', () => {
  const workspace = workspaces()

  it('accepts the lines that the file could have, in any batches, and no others', async () => {
    const layout = workspace()
    let [taken, refused, branched] = [0, 0, 0]
    await fc.assert(
      fc.asyncProperty(
        fc.array(STEP, { minLength: 1, maxLength: 25 }),
        DAMAGE,
        fc.integer({ min: 1, max: 9 }),
        async (steps, damage, size) => {
          const lines = damageLines(await linesOf(steps), damage)
          writeFileSync(`${layout.ledgerFile}`, lines.map((line) => `${line}\n`).join(''))
          const { tip, fault, torn } = readChain(layout.ledgerFile, EMPTY_TIP, new Map())
          const store = new Kept()
          let problem: string | undefined
          for (let at = 0; at < lines.length && problem === undefined; at += size)
            problem = await store.add(lines.slice(at, at + size))
          expect(problem === undefined, problem ?? fault?.reason).toBe(fault === null && torn === null)
          if (problem === undefined) {
            taken++
            if (tip.sides.length > 0) branched++
            expect({ ...store.end.tip, sides: [] }).toEqual({ ...tip, sides: [] })
            expect(forkIn(store.end.tip)).toEqual(forkIn(tip))
            expect(headText(store.end.tip)).toBe(tip.own === null ? undefined : `${tip.seq}:${tip.own.hash}`)
          } else refused++
        },
      ),
      fuzzParameters(300),
    )
    expect([taken > 50, refused > 20, branched > 10]).toEqual([true, true, true])
  })

  it('refuses an invalid tip', () => {
    for (const text of ['', '{}', formatTip(EMPTY_TIP).replace('null', '5')]) expect(() => parseTip(text)).toThrow()
  })
})
