/** The stager's nth call, and its effect on the files. The stager and the test both compute it. */

export interface Step {
  readonly op: 'write' | 'append' | 'remove' | 'rename' | 'snapshot' | 'travel'
  readonly path: string
  readonly to: string
  readonly data: string
  /** The snapshot's name, for `snapshot` and `travel`. */
  readonly name: string
}

export const NAMES = Array.from({ length: 8 }, (_, i) => `src/f${i}.txt`)

export function stepOf(n: number): Step {
  const name = (i: number) => NAMES[i % NAMES.length] ?? ''
  const data = `${n}:${'x'.repeat((n * 37) % 3000)}\n`
  const last = n - 1 - ((n - 1) % 9)
  const common = { path: name(n * 5), to: name(n * 5 + 3), data, name: `at ${n % 9 === 0 ? n : last - 9 * (n % 2)}` }
  if (n % 9 === 0) return { op: 'snapshot', ...common }
  if (n % 13 === 0) return { op: 'travel', ...common }
  if (n % 7 === 0) return { op: 'remove', ...common }
  if (n % 4 === 0) return { op: 'rename', ...common }
  return { op: n % 2 === 0 ? 'append' : 'write', ...common }
}

export type Model = ReadonlyMap<string, string>

export interface State {
  readonly files: Model
  /** Maps a snapshot's name to its files. */
  readonly saved: ReadonlyMap<string, Model>
}

export const NOTHING: State = { files: new Map(), saved: new Map() }

export function after({ files, saved }: State, { op, path, to, data, name }: Step): State {
  if (op === 'snapshot') return { files, saved: new Map(saved).set(name, files) }
  if (op === 'travel') return { files: saved.get(name) ?? files, saved }
  const next = new Map(files)
  const old = files.get(path)
  if (op === 'write') next.set(path, data)
  else if (op === 'append') next.set(path, (old ?? '') + data)
  else if (op === 'remove') next.delete(path)
  else if (old !== undefined) {
    next.delete(path)
    next.set(to, old)
  }
  return { files: next, saved }
}
