import { diff3MergeRegions } from 'node-diff3'
import { COMPARE_LIMIT } from './diff.js'
import { decodeText, type Encoding, encodeText, linesOf, type Text } from './text.js'

/** Two contents that come from one, made into one. */
export interface Merge {
  readonly content: Uint8Array
  /** The content has conflict markers. */
  readonly conflict: boolean
}

/** Steps a comparison may take: a second or so. More, and the contents are called too different to be merged. */
export const STEP_LIMIT = 300_000_000

/**
 * Three-way merge by lines, as diff3 does it: what one side changed and the other left is taken; changes of both that
 * touch each other are a conflict, unless they say the same. Deterministic.
 * @param names what the two sides are called beside the markers
 * @returns undefined where the contents are not text of one encoding, or too large to be compared
 */
export function mergeContents(
  ours: Uint8Array,
  base: Uint8Array,
  theirs: Uint8Array,
  names: { readonly ours: string; readonly theirs: string },
): Merge | undefined {
  if (Buffer.compare(base, theirs) === 0 || Buffer.compare(ours, theirs) === 0)
    return { content: ours, conflict: false }
  if (Buffer.compare(base, ours) === 0) return { content: theirs, conflict: false }
  if (Math.max(ours.length, base.length, theirs.length) > COMPARE_LIMIT) return undefined
  const sides = [ours, base, theirs].map((content) => decodeText(content))
  const [a, o, b] = sides
  const encoding = commonEncoding(sides)
  if (a === undefined || o === undefined || b === undefined || encoding === undefined) return undefined
  const merged = mergeLines(linesOf(a.text), linesOf(o.text), linesOf(b.text), names)
  return merged && { content: encodeText({ text: merged.text, encoding }), conflict: merged.conflict }
}

/** An empty side has no encoding of its own. */
function commonEncoding(sides: readonly (Text | undefined)[]): Encoding | undefined {
  const found = new Set(sides.flatMap((side) => (side === undefined || side.text === '' ? [] : [side.encoding])))
  const [only = 'utf-8'] = found
  return found.size <= 1 ? only : undefined
}

type Lines = readonly string[]

/** What all three have in common at both ends is left out of the search: most files are alike but for a few lines. */
function mergeLines(a: Lines, o: Lines, b: Lines, names: { ours: string; theirs: string }) {
  const shortest = Math.min(a.length, o.length, b.length)
  let head = 0
  while (head < shortest && a[head] === o[head] && b[head] === o[head]) head++
  let tail = 0
  const last = (lines: Lines) => lines[lines.length - 1 - tail]
  while (tail < shortest - head && last(a) === last(o) && last(b) === last(o)) tail++
  const middle = (lines: Lines) => lines.slice(head, lines.length - tail)
  const end = a.find((line) => line.endsWith('\n'))?.endsWith('\r\n') ? '\r\n' : '\n'
  const found = mergeMiddle(middle(a), middle(o), middle(b), { ...names, end })
  if (found === undefined) return undefined
  const text = [...o.slice(0, head), found.text, ...o.slice(o.length - tail)].join('')
  return { text, conflict: found.conflict }
}

interface Marks {
  readonly ours: string
  readonly theirs: string
  /** What ends a marker's line. */
  readonly end: string
}

function mergeMiddle(a: Lines, o: Lines, b: Lines, names: Marks) {
  if (steps(o, a) + steps(o, b) > STEP_LIMIT) return undefined
  // The library keys an object by what it compares: numbers, so that no line can be the name of a method.
  const numbers = new Map<string, number>()
  const numbered = (lines: Lines) =>
    lines.map((line) => {
      const number = numbers.get(line) ?? numbers.size
      numbers.set(line, number)
      return number
    })
  const sides = { a, o, b }
  let conflict = false
  const parts = diff3MergeRegions(numbered(a), numbered(o), numbered(b)).map((region) => {
    if (region.stable) {
      const lines = sides[region.buffer]
      return lines.slice(region.bufferStart, region.bufferStart + region.bufferLength).join('')
    }
    const ours = a.slice(region.aStart, region.aStart + region.aLength).join('')
    const theirs = b.slice(region.bStart, region.bStart + region.bLength).join('')
    if (ours === theirs) return ours
    conflict = true
    return marked(ours, theirs, names)
  })
  return { text: parts.join(''), conflict }
}

/** The search looks at every pair of equal lines, and for each along what it has found so far. */
function steps(o: Lines, side: Lines): number {
  const count = new Map<string, number>()
  for (const line of side) count.set(line, (count.get(line) ?? 0) + 1)
  const pairs = o.reduce((sum, line) => sum + (count.get(line) ?? 0), 0)
  return pairs * Math.min(o.length, side.length)
}

function marked(ours: string, theirs: string, { end, ...names }: Marks): string {
  const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}${end}`)
  const lines = [`<<<<<<< ${names.ours}`, `=======`, `>>>>>>> ${names.theirs}`]
  return `${lines[0]}${end}${ended(ours)}${lines[1]}${end}${ended(theirs)}${lines[2]}${end}`
}

const MARKERS = [/^<{7} /, /^={7}$/, /^>{7} /] as const

/** True where a content has a conflict that nobody has resolved: the three markers in their order, each on its line. */
export function hasMarkers(content: Uint8Array): boolean {
  let found = 0
  for (const line of decodeText(content)?.text.split(/\r?\n/) ?? []) {
    if (MARKERS[found]?.test(line)) found++
  }
  return found === MARKERS.length
}
