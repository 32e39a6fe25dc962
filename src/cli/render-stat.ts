import type { Change } from '../index.js'
import type { Colors } from './context.js'
import { pluralize } from './output.js'
import { oneLine } from './printable.js'

/** The longest bar, in columns. */
const MAX_BAR = 40

interface LineCounts {
  readonly name: string
  readonly added: number
  readonly removed: number
  /** Shown in place of a bar if lines are not counted. */
  readonly label?: string
}

/** Renders the added and removed lines of each change and their sum, as `git diff --stat` does. */
export function renderStat(changes: readonly Change[], colors: Colors): string {
  const counted = changes.map(countLines)
  const width = Math.max(0, ...counted.map(({ name }) => name.length))
  const most = Math.max(1, ...counted.map(({ added, removed }) => added + removed))
  const digits = String(most).length
  const rows = counted.map(({ name, added, removed, label }) => {
    const bars = scale([added, removed], most)
    const drawn = `${colors.green('+'.repeat(bars[0]))}${colors.red('-'.repeat(bars[1]))}`
    const end = label ?? `${String(added + removed).padStart(digits)} ${drawn}`.trimEnd()
    return ` ${name.padEnd(width)} | ${end}\n`
  })
  const sum = (of: 'added' | 'removed') => counted.reduce((total, each) => total + each[of], 0)
  const sums = [
    `${pluralize(changes.length, 'file')} changed`,
    ...countWithSign(sum('added'), '+'),
    ...countWithSign(sum('removed'), '-'),
  ]
  return `${rows.join('')} ${sums.join(', ')}\n`
}

function countWithSign(count: number, sign: '+' | '-'): string[] {
  return count === 0 ? [] : [`${pluralize(count, sign === '+' ? 'insertion' : 'deletion')}(${sign})`]
}

/** Scales line counts to columns. A count above 0 gets at least one column. */
function scale([added, removed]: readonly [number, number], most: number): readonly [number, number] {
  if (most <= MAX_BAR) return [added, removed]
  const columns = (count: number) => (count === 0 ? 0 : Math.max(1, Math.round((count * MAX_BAR) / most)))
  return [columns(added), columns(removed)]
}

function countLines({ path, from, kind, flags, hunks, mode }: Change): LineCounts {
  const name = oneLine(from === undefined ? path : `${from} => ${path}`)
  const lines = hunks.flatMap(({ text }) => text.split('\n').slice(1))
  const count = (mark: string) => lines.filter((line) => line.startsWith(mark)).length
  const counted = { name, added: count('+'), removed: count('-') }
  if (flags.includes('binary')) return { ...counted, label: 'binary' }
  if (hunks.length > 0) return counted
  if (kind === 'mkdir') return { ...counted, label: 'directory' }
  if (kind === 'mode' && mode !== undefined) return { ...counted, label: formatMode(mode) }
  return counted
}

function formatMode({ before, after }: NonNullable<Change['mode']>): string {
  const octal = (bits: number | null) => (bits === null ? '-' : bits.toString(8).padStart(3, '0'))
  return `mode ${octal(before)} => ${octal(after)}`
}

/** Git's status letters. */
const LETTERS: Readonly<Record<Change['kind'], string>> = {
  create: 'A',
  mkdir: 'A',
  link: 'A',
  modify: 'M',
  mode: 'M',
  delete: 'D',
  rename: 'R',
}

/** Renders a letter and path per line, as `git diff --name-status` does. A rename has both paths. */
export function renderNameStatus(changes: readonly Change[]): string {
  return changes
    .map(
      ({ kind, from, path }) =>
        `${[LETTERS[kind], ...(from === undefined ? [] : [from]), path].map(oneLine).join('\t')}\n`,
    )
    .join('')
}

/** Renders one path per line. */
export function renderNames(changes: readonly Change[]): string {
  return changes.map(({ path }) => `${oneLine(path)}\n`).join('')
}
