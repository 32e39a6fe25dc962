import type { Change, ChangeSet } from '../index.js'
import type { Colors } from './context.js'
import { oneLine, printable } from './printable.js'

/** A change set as git would show it, each change under a line with its state and flags. */
export function renderChangeSet(set: ChangeSet, colors: Colors): string {
  const count = set.changes.length
  const end = `${count} ${count === 1 ? 'change' : 'changes'}. Change set ${set.digest}\n`
  return [...set.changes.map((change) => renderChange(change, colors)), end].join('\n')
}

function renderChange(change: Change, colors: Colors): string {
  const header = headerOf(change).map((line) => `${colors.bold(line)}\n`)
  return [headline(change, colors), ...header, ...change.hunks.map(({ text }) => renderHunk(text, colors))].join('')
}

function headline({ path, kind, state, flags, intentId }: Change, colors: Colors): string {
  const paint = { pending: colors.yellow, approved: colors.green, rejected: colors.red }[state]
  const words = [oneLine(path), kind, paint(state), ...flags.map((flag) => colors.magenta(oneLine(flag)))]
  return `# ${[...words, ...(intentId === undefined ? [] : [oneLine(intentId)])].join('  ')}\n`
}

function headerOf(change: Change): string[] {
  const [from, path] = [oneLine(change.from ?? change.path), oneLine(change.path)]
  const [before, after] = [
    change.before === null ? '/dev/null' : `a/${from}`,
    change.after === null ? '/dev/null' : `b/${path}`,
  ]
  const lines = [`diff --git a/${from} b/${path}`, ...modeLines(change)]
  if (change.from !== undefined) lines.push(`rename from ${from}`, `rename to ${path}`)
  if (change.flags.includes('binary')) lines.push(`Binary files ${before} and ${after} differ`)
  if (change.hunks.length > 0) lines.push(`--- ${before}`, `+++ ${after}`)
  return lines
}

function modeLines({ kind, before, after, mode, flags }: Change): string[] {
  const type = kind === 'mkdir' ? '40' : flags.includes('symlink') ? '120' : '100'
  const octal = (bits: number) => type + (type === '120' ? '000' : bits.toString(8).padStart(3, '0'))
  if (mode === undefined) return []
  if (before === null && mode.after !== null) return [`new file mode ${octal(mode.after)}`]
  if (after === null && mode.before !== null) return [`deleted file mode ${octal(mode.before)}`]
  if (mode.before === null || mode.after === null) return []
  return [`old mode ${octal(mode.before)}`, `new mode ${octal(mode.after)}`]
}

function renderHunk(text: string, colors: Colors): string {
  const paint = (line: string) => {
    if (line.startsWith('@@')) return colors.cyan(line)
    if (line.startsWith('+')) return colors.green(line)
    return line.startsWith('-') ? colors.red(line) : line
  }
  const lines = printable(text).split('\n').slice(0, -1)
  return lines.map((line) => `${paint(line)}\n`).join('')
}
