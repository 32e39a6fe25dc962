import { inspect } from 'node:util'
import type { Run } from '../row.js'

/**
 * A call on a path. No call may distinguish a hidden path from an absent one: `src/hidden` exists, `src/ghost` does not, and
 * rules hide both. Each call runs twice, with `NAME` replaced by one path and then by the other. The results must be equal.
 */
export interface Question {
  readonly name: string
  readonly args: readonly unknown[]
}

const STAMP = new Date(1_000_000_000_000)
const ask = (op: string, ...args: unknown[]): Question => ({ name: op, args })

export const questions: readonly Question[] = ['src/NAME', 'src/NAME/secret.ts', 'src/to-root/src/NAME/secret.ts']
  .flatMap((at) => [
    ask('stat', at),
    ask('lstat', at),
    ask('access', at),
    ask('readFile', at),
    ask('readdir', at),
    ask('opendir', at),
    ask('realpath', at),
    ask('readlink', at),
    ask('statfs', at),
    ask('open', at, 'r'),
    ask('open', at, 'wx'),
    ask('copyFile', at, 'src/seen'),
    ask('copyFile', 'src/a.ts', at),
    ask('cp', at, 'src/seen', { recursive: true }),
    ask('rename', at, 'src/seen'),
    ask('rename', 'src/a.ts', at),
    ask('link', at, 'src/seen'),
    ask('symlink', 'a.ts', at),
    ask('unlink', at),
    ask('rm', at),
    ask('rm', at, { force: true, recursive: true }),
    ask('rmdir', at),
    ask('mkdir', at),
    ask('mkdir', at, { recursive: true }),
    ask('chmod', at, 0o600),
    ask('utimes', at, STAMP, STAMP),
    ask('truncate', at, 0),
    ask('mkdtemp', `${at}/x`),
    ask('writeFile', at, 'x'),
    ask('writeFile', at, 'x', { flag: 'wx' }),
  ])
  .map(({ name, args }) => ({
    name: `${name}(${args.filter((arg) => typeof arg === 'string').join(', ')})`,
    args: [name, ...args],
  }))

/** Listings, which may name neither. */
export const listings: readonly Question[] = [
  ask('readdir', 'src'),
  ask('readdir', 'src', { recursive: true }),
  ask('readdir', 'src/to-root/src'),
  ask('readdir', '.', { recursive: true }),
  ask('opendir', 'src'),
  ask('opendir', 'src', { recursive: true }),
  ask('glob', 'src/**'),
  ask('glob', '**/secret*'),
  ask('glob', 'src/h*/*'),
].map(({ name, args }) => ({
  name: `${name}(${String(args[0])}${args[1] ? ', recursive' : ''})`,
  args: [name, ...args],
}))

/** Numbers that differ from call to call. */
const VOLATILE = /(\d+n|\d{6,}|fd: \d+|\d{4}-\d\d-\d\dT[\d:.]+Z)/g

/** Performs a question and returns its result as a text, with the name replaced by `NAME`. */
export async function resultText({ act }: Run, { args }: Question, name: string): Promise<string> {
  const [op = '', ...rest] = args.map((arg) => (typeof arg === 'string' ? arg.replace('NAME', name) : arg))
  const result = await act(String(op), ...rest)
  const text =
    result instanceof Error ? `${result.name} ${Object(result).code} ${result.message}` : inspect(result, { depth: 3 })
  return text.replaceAll(name, 'NAME').replaceAll(VOLATILE, '#')
}
