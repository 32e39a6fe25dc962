import type { Change } from '../index.js'
import type { Colors } from './context.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'

/** Columns of a bar, at most. */
const BAR = 40

interface Counted {
  readonly name: string
  readonly added: number
  readonly removed: number
  /** What stands in the place of a bar, where no lines are counted. */
  readonly word?: string
}

/** One line for each change with the lines that it adds and removes, and the sum, as `git diff --stat` has it. */
export function renderStat(changes: readonly Change[], colors: Colors): string {
  const counted = changes.map(countLines)
  const width = Math.max(0, ...counted.map(({ name }) => name.length))
  const most = Math.max(1, ...counted.map(({ added, removed }) => added + removed))
  const digits = String(most).length
  const rows = counted.map(({ name, added, removed, word }) => {
    const bars = scale([added, removed], most)
    const drawn = `${colors.green('+'.repeat(bars[0]))}${colors.red('-'.repeat(bars[1]))}`
    const end = word ?? `${String(added + removed).padStart(digits)} ${drawn}`.trimEnd()
    return ` ${name.padEnd(width)} | ${end}\n`
  })
  const sum = (of: 'added' | 'removed') => counted.reduce((total, each) => total + each[of], 0)
  const sums = [
    `${pluralize(changes.length, 'file')} changed`,
    ...signed(sum('added'), '+'),
    ...signed(sum('removed'), '-'),
  ]
  return `${rows.join('')} ${sums.join(', ')}\n`
}

function signed(count: number, sign: '+' | '-'): string[] {
  return count === 0 ? [] : [`${pluralize(count, sign === '+' ? 'insertion' : 'deletion')}(${sign})`]
}

/** At least one column for what is not nothing. */
function scale([added, removed]: readonly [number, number], most: number): readonly [number, number] {
  if (most <= BAR) return [added, removed]
  const columns = (count: number) => (count === 0 ? 0 : Math.max(1, Math.round((count * BAR) / most)))
  return [columns(added), columns(removed)]
}

function countLines({ path, from, kind, flags, hunks, mode }: Change): Counted {
  const name = oneLine(from === undefined ? path : `${from} => ${path}`)
  const lines = hunks.flatMap(({ text }) => text.split('\n').slice(1))
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
  const counted = { name, added: count('+'), removed: count('-') }
  if (flags.includes('binary')) return { ...counted, word: 'binary' }
  if (hunks.length > 0) return counted
  if (kind === 'mkdir') return { ...counted, word: 'directory' }
  if (kind === 'mode' && mode !== undefined) return { ...counted, word: modeWords(mode) }
  return counted
}

function modeWords({ before, after }: NonNullable<Change['mode']>): string {
  const octal = (bits: number | null) => (bits === null ? '-' : bits.toString(8).padStart(3, '0'))
  return `mode ${octal(before)} => ${octal(after)}`
}

/** What happened to a path, by the letter that git has for it. */
const LETTERS: Readonly<Record<Change['kind'], string>> = {
  create: 'A',
  mkdir: 'A',
  link: 'A',
  modify: 'M',
  mode: 'M',
  delete: 'D',
  rename: 'R',
}

/** A letter and the path on each line, as `git diff --name-status` has it; of a rename both names. */
export function renderNameStatus(changes: readonly Change[]): string {
  return changes
    .map(
      ({ kind, from, path }) =>
        `${[LETTERS[kind], ...(from === undefined ? [] : [from]), path].map(oneLine).join('\t')}\n`,
    )
    .join('')
}

/** The paths alone, one a line. */
export function renderNames(changes: readonly Change[]): string {
  return changes.map(({ path }) => `${oneLine(path)}\n`).join('')
}
