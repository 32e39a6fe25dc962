import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { classify } from '../../src/change-class/classify.js'
import { PAIRS } from './pairs/index.js'

const RUNS = Number(process.env.CLASSIFY_RUNS ?? 250)

/** The files before and after every labelled change: all of them parse. */
const FILES = PAIRS.flatMap(({ path, before, after }) => [before, after].map((text) => ({ path, text })))

const CODE = /\.(?:ts|tsx|mjs|py|go|rs|java|cs|cpp)$/

/** Each replaces a token by one with another meaning, whatever is around it. */
const MUTATIONS: readonly (readonly [find: RegExp, replace: (found: string) => string])[] = [
  [/\b\d+\b/g, (found) => `${Number(found) + 1}`],
  [/ \+ /g, () => ' - '],
  [/ == /g, () => ' != '],
  [/\btrue\b/g, () => 'false'],
  [/\breturn (?=\w)/g, () => 'return !'],
  [/"(?=\w)/g, () => '"x'],
  [/(?<!(?:function|def|func|fn) )\b[a-z]\(/g, (found) => `z${found}`],
  [/\.\w+/g, (found) => `${found}_`],
  [/\b(?:const|let|var) (?=\w)/g, (found) => `${found}z = z, `],
]

const COMMENTED = /\/\/|\/\*|#|--/
const lineAt = (text: string, at: number) => text.slice(text.lastIndexOf('\n', at) + 1).split('\n', 1)[0] ?? ''

const mutated = fc
  .tuple(fc.constantFrom(...FILES.filter(({ path }) => CODE.test(path))), fc.constantFrom(...MUTATIONS), fc.nat(9))
  .map(([{ path, text }, [find, replace], at]) => {
    const places = [...text.matchAll(find)].filter(({ index }) => !COMMENTED.test(lineAt(text, index)))
    const place = places[at % Math.max(1, places.length)]
    const after = place
      ? text.slice(0, place.index) + replace(place[0]) + text.slice(place.index + place[0].length)
      : text
    return { path, before: text, after }
  })
  .filter(({ before, after }) => before !== after)

const inCode = (text: string, change: (code: string) => string) =>
  // Strings, comments and directives stay unchanged.
  text.replace(
    /("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|\/\/[^\n]*|\/\*[\s\S]*?\*\/|#[^\n]*)|[^"'`/#]+/g,
    (whole, kept?: string) => (kept === undefined ? change(whole) : kept),
  )

/** Each keeps the behaviour of the file. */
const REWRITES: readonly ((text: string) => string)[] = [
  (text) => `${text}\n\n`,
  (text) => inCode(text, (code) => code.replace(/\n/g, '\n\n')),
  (text) => inCode(text, (code) => code.replace(/\n(?=[ \t])/g, '\n  ')),
  (text) => inCode(text, (code) => code.replace(/, /g, ',  ')),
  (text) => inCode(text, (code) => code.replace(/ = /g, '  =  ')),
  (text) => inCode(text, (code) => code.replace(/\{\n/g, '{ // here\n')),
]

const rewritten = fc
  .tuple(
    fc.constantFrom(...FILES.filter(({ path }) => /\.(?:ts|mjs|go|rs|java)$/.test(path))),
    fc.array(fc.constantFrom(...REWRITES), { minLength: 1, maxLength: 3 }),
  )
  .map(([{ path, text }, rewrites]) => ({ path, before: text, after: rewrites.reduce((at, each) => each(at), text) }))
  .filter(({ before, after }) => before !== after)

const classOf = async ({ path, before, after }: { path: string; before: string; after: string }) =>
  (await classify({ path, before: Buffer.from(before), after: Buffer.from(after) })).class

describe('classify, with generated changes', () => {
  it('classifies no mutation as a refactoring', async () => {
    await fc.assert(
      fc.asyncProperty(mutated, async (change) => {
        expect(await classOf(change)).not.toBe('AST_REFACTOR')
      }),
      { numRuns: RUNS },
    )
  })

  it('classifies most rewrites as refactorings, and ends for each', async () => {
    const counts = { all: 0, known: 0 }
    await fc.assert(
      fc.asyncProperty(rewritten, async (change) => {
        counts.all++
        if ((await classOf(change)) === 'AST_REFACTOR') counts.known++
      }),
      { numRuns: RUNS },
    )
    expect(counts.known / counts.all).toBeGreaterThan(0.5)
  })

  it('returns a class for any text, and never throws', async () => {
    const path = fc.constantFrom(...new Set(FILES.map((each) => each.path)))
    await fc.assert(
      fc.asyncProperty(path, fc.string({ unit: 'binary' }), fc.string(), async (name, before, after) => {
        expect(['AST_REFACTOR', 'INTENT_EVOLUTION', 'UNVERIFIED']).toContain(
          await classOf({ path: name, before, after }),
        )
      }),
      { numRuns: RUNS },
    )
  })
})
