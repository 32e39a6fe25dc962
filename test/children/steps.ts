/** What the stager does as its nth call, and what that makes of the files: both sides of the pipe compute it. */

export interface Step {
  readonly op: 'write' | 'append' | 'remove' | 'rename'
  readonly path: string
  readonly to: string
  readonly data: string
}

export const NAMES = Array.from({ length: 8 }, (_, i) => `src/f${i}.txt`)

export function stepOf(n: number): Step {
  const name = (i: number) => NAMES[i % NAMES.length] ?? ''
  const data = `${n}:${'x'.repeat((n * 37) % 3000)}\n`
  const common = { path: name(n * 5), to: name(n * 5 + 3), data }
  if (n % 7 === 0) return { op: 'remove', ...common }
  if (n % 4 === 0) return { op: 'rename', ...common }
  return { op: n % 2 === 0 ? 'append' : 'write', ...common }
}

export type Model = ReadonlyMap<string, string>

export function after(model: Model, { op, path, to, data }: Step): Model {
  const next = new Map(model)
  const old = model.get(path)
  if (op === 'write') next.set(path, data)
  else if (op === 'append') next.set(path, (old ?? '') + data)
  else if (op === 'remove') next.delete(path)
  else if (old !== undefined) {
    next.delete(path)
    next.set(to, old)
  }
  return next
}
