import fs from 'node:fs'
import { resolve } from 'node:path'
import picomatch from 'picomatch'

/**
 * An adapter as most tools have it: it resolves the path, checks that it begins with the root, matches a glob, and
 * calls Node. It must fail many rows, which shows that the table detects attacks.
 */

/** The indexes of the arguments that are changed paths, by op. */
const CHANGED: Readonly<Record<string, readonly number[]>> = {
  writeFile: [0],
  appendFile: [0],
  truncate: [0],
  chmod: [0],
  chown: [0],
  lchown: [0],
  utimes: [0],
  lutimes: [0],
  unlink: [0],
  rm: [0],
  rmdir: [0],
  mkdir: [0],
  mkdtemp: [0],
  rename: [0, 1],
  copyFile: [1],
  cp: [1],
  link: [1],
  symlink: [1],
  open: [0],
  createWriteStream: [0],
}

export interface Naive {
  readonly fs: typeof fs
  select(scope: readonly string[]): void
}

type Call = (...args: unknown[]) => unknown

export function naiveAdapter(root: string, scope: readonly string[]): Naive {
  let inScope: (path: string) => boolean = picomatch([...scope], { dot: true })
  const checkPath = (path: unknown, reads: boolean): unknown => {
    if (typeof path === 'number' || (typeof path === 'object' && path !== null && 'fd' in path)) return path
    const full = resolve(root, path instanceof URL ? path.pathname : String(path))
    if (!full.startsWith(root)) throw new Error(`Not in the workspace: ${full}`)
    const below = full.slice(root.length + 1)
    if (/^src\/(hidden|private)/.test(below)) throw Object.assign(new Error(`ENOENT: ${below}`), { code: 'ENOENT' })
    if (reads) return full
    if (/^(\.git|\.orchestration|src\/(locked|frozen))(\/|$)/.test(below)) throw new Error(`Protected: ${below}`)
    if (!inScope(below)) throw new Error(`Not in scope: ${below}`)
    return full
  }
  const guard = (name: string, call: Call, of: object): Call => {
    const changed = CHANGED[name.replace(/Sync$/, '')]
    const readsOnly = changed === undefined
    return (...args) => {
      const isRead = name.startsWith('open') && (args[1] === undefined || args[1] === 'r' || args[1] === 0)
      const checkedArgs = args.map((arg, index) =>
        (changed ?? [0]).includes(index) ? checkPath(arg, readsOnly || isRead) : arg,
      )
      if (/^(rename|copyFile|cp|link)/.test(name)) checkedArgs[0] = checkPath(args[0], true)
      return Reflect.apply(call, of, checkedArgs)
    }
  }
  const guardAll = (of: object): Record<string, unknown> => {
    const guarded: Record<string, unknown> = {}
    for (const [name, value] of Object.entries(of)) {
      guarded[name] = typeof value === 'function' && /^[a-z]/.test(name) ? guard(name, value, of) : value
    }
    return guarded
  }
  return {
    fs: { ...fs, ...guardAll(fs), promises: { ...fs.promises, ...guardAll(fs.promises) } },
    select: (scope) => {
      inScope = scope.length > 0 ? picomatch([...scope], { dot: true }) : () => true
    },
  }
}
