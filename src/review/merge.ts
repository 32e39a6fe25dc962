import { diffArrays } from 'diff'
import { diff3MergeRegions } from 'node-diff3'
import { COMPARE_LIMIT, EDIT_LIMIT } from './diff.js'
import { decodeText, type Encoding, encodeText, linesOf, type Text } from './text.js'

/** The merge of two contents that have a common base. */
export interface Merge {
  readonly content: Uint8Array
  /** The content has conflict markers. */
  readonly conflict: boolean
}

/** The limit of steps of a comparison, about a second. Contents that need more are too different to be merged. */
const STEP_LIMIT = 300_000_000

/**
 * Three-way merge by lines, as in diff3: applies each change that only one side made. Touching changes of both sides are a
 * conflict, unless they are equal. Deterministic.
 * @param names the names of the two sides in the conflict markers
 * @returns undefined if the contents are not text of one encoding, or are too large to compare
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

/** A piece of a side: one line, or a run of lines that no side has changed. */
interface Piece {
  readonly key: number
  readonly text: string
}

function mergeLines(a: Lines, o: Lines, b: Lines, names: { ours: string; theirs: string }) {
  const end = a.find((line) => line.endsWith('\n'))?.endsWith('\r\n') ? '\r\n' : '\n'
  const [inA, inB] = [matchLines(o, a), matchLines(o, b)]
  if (inA === undefined || inB === undefined) return undefined
  const pieces = inPieces({ a, o, b }, inA, inB)
  return mergePieces(pieces.a, pieces.o, pieces.b, { ...names, end })
}

/** Returns the index of each old line in a side, or -1; undefined if they have too little in common. */
function matchLines(o: Lines, side: Lines): number[] | undefined {
  const parts = diffArrays([...o], [...side], { maxEditLength: EDIT_LIMIT })
  if (parts === undefined) return undefined
  const found: number[] = []
  let at = 0
  for (const { added, removed, count } of parts) {
    for (let line = 0; line < count && !added; line++) found.push(removed ? -1 : at + line)
    if (!removed) at += count
  }
  return found
}

/** Turns each run of old lines that both sides keep into one piece, so that the merge compares only the other lines. */
function inPieces(sides: { a: Lines; o: Lines; b: Lines }, inA: readonly number[], inB: readonly number[]) {
  const runs: { o: number; a: number; b: number; length: number }[] = []
  sides.o.forEach((_, o) => {
    const [a = -1, b = -1] = [inA[o], inB[o]]
    const last = runs.at(-1)
    if (a < 0 || b < 0) return
    const goesOn = last && last.o + last.length === o && last.a + last.length === a && last.b + last.length === b
    if (goesOn) last.length++
    else runs.push({ o, a, b, length: 1 })
  })
  // The library uses what it compares as keys of an object: with numbers, no line can be the name of a method.
  const keys = new Map<string, number>()
  const line = (text: string): Piece => {
    const key = keys.get(text) ?? keys.size
    keys.set(text, key)
    return { key, text }
  }
  const piecesOf = (side: 'a' | 'o' | 'b') => {
    const pieces: Piece[] = []
    let at = 0
    runs.forEach((run, index) => {
      pieces.push(...sides[side].slice(at, run[side]).map(line))
      at = run[side] + run.length
      pieces.push({ key: -1 - index, text: sides[side].slice(run[side], at).join('') })
    })
    return [...pieces, ...sides[side].slice(at).map(line)]
  }
  return { a: piecesOf('a'), o: piecesOf('o'), b: piecesOf('b') }
}

interface Marks {
  readonly ours: string
  readonly theirs: string
  /** The line end of a marker. */
  readonly end: string
}

function mergePieces(a: readonly Piece[], o: readonly Piece[], b: readonly Piece[], marks: Marks) {
  const keys = (pieces: readonly Piece[]) => pieces.map(({ key }) => key)
  if (steps(keys(o), keys(a)) + steps(keys(o), keys(b)) > STEP_LIMIT) return undefined
  const sides = { a, o, b }
  const textOf = (side: 'a' | 'o' | 'b', start: number, length: number) =>
    sides[side]
      .slice(start, start + length)
      .map(({ text }) => text)
      .join('')
  let conflict = false
  const parts = diff3MergeRegions(keys(a), keys(o), keys(b)).map((region) => {
    if (region.stable) return textOf(region.buffer, region.bufferStart, region.bufferLength)
    const [ours, theirs] = [textOf('a', region.aStart, region.aLength), textOf('b', region.bStart, region.bLength)]
    if (ours === theirs) return ours
    conflict = true
    return conflictBlock(ours, theirs, marks)
  })
  return { text: parts.join(''), conflict }
}

/** Estimates the steps of the library's search: it visits every pair of equal pieces, and for each the matches so far. */
function steps(o: readonly number[], side: readonly number[]): number {
  const count = new Map<number, number>()
  for (const key of side) count.set(key, (count.get(key) ?? 0) + 1)
  const pairs = o.reduce((sum, key) => sum + (count.get(key) ?? 0), 0)
  return pairs * Math.min(o.length, side.length)
}

function conflictBlock(ours: string, theirs: string, { end, ...names }: Marks): string {
  const withLineEnd = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}${end}`)
  const lines = [`<<<<<<< ${names.ours}`, `=======`, `>>>>>>> ${names.theirs}`]
  return `${lines[0]}${end}${withLineEnd(ours)}${lines[1]}${end}${withLineEnd(theirs)}${lines[2]}${end}`
}

const MARKERS = [/^<{7} /, /^={7}$/, /^>{7} /] as const

/** True if a content has a conflict that nobody has resolved: the three markers in their order, each on its line. */
export function hasMarkers(content: Uint8Array): boolean {
  let found = 0
  for (const line of decodeText(content)?.text.split(/\r?\n/) ?? []) {
    if (MARKERS[found]?.test(line)) found++
  }
  return found === MARKERS.length
}
