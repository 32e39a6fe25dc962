import { digest } from '../../overlay/index.js'
import type { FileAttribution, LineRange } from './draft-schema.js'
import { type LineHunk, lineHunks, originsBy, splitAtBrackets } from './line-hunks.js'
import { printsOf, withoutWhitespace } from './line-prints.js'
import type { FileLines } from './own-record.js'

/** Above this many bytes a change is one hunk, from the first differing line to the last. */
const DIFF_BYTES = 1024 * 1024
/** Above this many lines, old and new together, the lines of a file are not recorded: a record must stay short. */
export const FOLLOWED_LINES = 200_000
/** How many bytes git searches for a NUL to decide that a file is binary. */
const BINARY_PROBE = 8000

/** Two contents of a file, line by line. */
export interface Comparison {
  readonly old: readonly string[]
  readonly now: readonly string[]
  readonly hunks: readonly LineHunk[]
  /** The old line of each new line, from 0; -1 if it is new. Lines that differ only in white space are the same. */
  readonly origins: readonly number[]
}

/**
 * Compares the whole contents of a file. The cost is bounded: a large or entirely different file is one hunk.
 * @param before null if there was no file; `after` likewise
 * @returns undefined if either is binary or a symlink's target
 */
export function compareContents(before: Uint8Array | null, after: Uint8Array | null): Comparison | undefined {
  if ((before !== null && isBinary(before)) || (after !== null && isBinary(after))) return undefined
  const small = Math.max(before?.length ?? 0, after?.length ?? 0) <= DIFF_BYTES
  const [old, now] = [before === null ? [] : linesOf(before), after === null ? [] : linesOf(after)]
  const hunks = splitAtBrackets(lineHunks(old, now, small, withoutWhitespace), old, now)
  return { old, now, hunks, origins: originsBy(hunks, old.length) }
}

export interface Attributable extends Omit<FileAttribution, 'ranges'> {
  /** Undefined for binary files, whose lines are not attributed. */
  readonly comparison: Comparison | undefined
  /** Lines of the new content, from 0, that a reviewer wrote. */
  readonly edited?: ReadonlySet<number>
  /** Lines of the old content, from 0, that were written outside escrowfs since the ledger last recorded the file. */
  readonly outside?: ReadonlySet<number>
}

/**
 * Attributes the lines of the new content that the old one lacks, and the old lines that were written outside escrowfs.
 */
export function attributeFile({ comparison, edited, outside, ...file }: Attributable): FileAttribution {
  if (comparison === undefined) return { ...file, ranges: [] }
  const { old, now, origins } = comparison
  const isOutside = (line: number) => outside?.has(origins[line] ?? -1) === true
  const isHuman = (line: number) => edited?.has(line) === true || isOutside(line)
  const isNamed = (line: number) => old[origins[line] ?? -1] !== now[line] || isOutside(line)
  const runs = runsOf(now.length, isNamed, isHuman)
  if (!runs.some(({ human }) => human)) {
    return { ...file, ranges: runs.map(({ start, end }) => rangeOf(now, start, end)) }
  }
  const ranges = runs.map(({ start, end, human }) => {
    return { ...rangeOf(now, start, end), contributor: human ? 'human' : 'ai' } as const
  })
  return { ...file, contributor: runs.every(({ human }) => human) ? 'human' : 'mixed', ranges }
}

/**
 * The line changes that blame needs to follow each line through a commit once the contents are gone.
 * @param isKnown whether the ledger's last record of the file left exactly the old content, with its lines
 */
export function linesOfChange(path: string, comparison: Comparison, isKnown: boolean): FileLines | undefined {
  const { old, now, hunks, origins } = comparison
  if (old.length + now.length > FOLLOWED_LINES) return undefined
  return {
    path,
    hunks: hunks.map(({ at, removed, added }) => [at, removed, added]),
    added: printsOf(now.filter((_, line) => origins[line] === -1)).join(''),
    ...(!isKnown && old.length > 0 && { base: printsOf(old).join('') }),
  }
}

/** Runs of consecutive lines with one author: the agent, or a person. */
function runsOf(count: number, isNamed: (line: number) => boolean, isHuman: (line: number) => boolean) {
  const runs: { start: number; end: number; human: boolean }[] = []
  for (let line = 0; line < count; line++) {
    if (!isNamed(line)) continue
    const run = runs.at(-1)
    const human = isHuman(line)
    if (run?.human === human && run.end === line) run.end = line + 1
    else runs.push({ start: line, end: line + 1, human })
  }
  return runs
}

/**
 * The hash that finds lines again after they moved: over the lines joined by LF, without CR and without a final
 * newline.
 * @param lines bytes as latin1 text, one character a byte
 */
export function contentHash(lines: readonly string[]): string {
  return digest(Buffer.from(lines.join('\n').replaceAll('\r', ''), 'latin1'))
}

/**
 * Splits a content into lines without their LF, as latin1, which keeps every byte. A final newline ends the last line.
 */
export function linesOf(content: Uint8Array): string[] {
  const lines = Buffer.from(content.buffer, content.byteOffset, content.byteLength).toString('latin1').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

export function isBinary(content: Uint8Array): boolean {
  return content.subarray(0, BINARY_PROBE).includes(0)
}

function rangeOf(lines: readonly string[], start: number, end: number): LineRange {
  return { startLine: start + 1, endLine: end, contentHash: contentHash(lines.slice(start, end)) }
}
