import fs from 'node:fs'
import { inspect } from 'node:util'
import type { Seeded, TriedCall } from './node-calls.js'

/** Runs a call on a real directory by `node:fs`, or on a copy of it through the facade. Returns its outcome. */

export type Form = 'sync' | 'callback' | 'promise'
type Functions = Record<string, ((...args: unknown[]) => unknown) | undefined>

export function seed(root: string): void {
  fs.mkdirSync(`${root}/dir/sub`, { recursive: true })
  fs.mkdirSync(`${root}/empty`)
  fs.writeFileSync(`${root}/file`, '0123456789')
  fs.writeFileSync(`${root}/dir/inner`, 'inner')
  fs.symlinkSync('file', `${root}/link`)
  fs.symlinkSync('dir', `${root}/dirlink`)
  fs.symlinkSync('nowhere', `${root}/dangling`)
  fs.symlinkSync('loop', `${root}/loop`)
  for (const name of ['file', 'dir/inner', 'dir', 'empty']) fs.utimesSync(`${root}/${name}`, 1_000, 1_000)
}

export function openSeeded(api: typeof fs, root: string): Seeded {
  const [read, both, dir] = [
    api.openSync(`${root}/file`, 'r'),
    api.openSync(`${root}/file`, 'r+'),
    api.openSync(`${root}/dir`, 'r'),
  ]
  return { root, read, both, dir }
}

export function shut(api: typeof fs, { read, both, dir }: Seeded): void {
  for (const fd of [read, both, dir]) {
    try {
      api.closeSync(fd)
    } catch {
      // The call closed it.
    }
  }
}

export function formsOf(op: string): Form[] {
  const forms: Form[] = ['callback']
  if (Reflect.has(fs, `${op}Sync`)) forms.unshift('sync')
  if (Reflect.has(fs.promises, op)) forms.push('promise')
  return forms
}

/** The outcome of a call: returned, threw at once, or failed later. */
export async function outcome(api: typeof fs, { op, args }: TriedCall, form: Form, seeded: Seeded): Promise<string> {
  const values = args.map((value) => value(seeded))
  const tidy = (text: string) => text.replaceAll(seeded.root, '<root>')
  let returned: unknown
  try {
    returned = invoke(api, op, form, values)
  } catch (error) {
    return `throws ${failure(error, seeded)}`
  }
  try {
    return tidy(`gives ${await showValue(api, await returned, seeded)}`)
  } catch (error) {
    return `fails ${failure(error, seeded)}`
  }
}

function invoke(api: typeof fs, op: string, form: Form, args: unknown[]): unknown {
  if (form === 'sync') return (api as unknown as Functions)[`${op}Sync`]?.(...args)
  if (form === 'promise') return (api.promises as unknown as Functions)[op]?.(...args)
  let settle: (answer: unknown[]) => void = () => undefined
  const answered = new Promise<unknown[]>((resolve) => {
    settle = resolve
  })
  const result = (api as unknown as Functions)[op]?.(...args, (...answer: unknown[]) => settle(answer))
  if (result !== undefined) return { returned: result }
  return answered.then(([error, ...values]) => {
    if (op === 'exists') return error
    if (error) throw error
    return values.length > 1 ? values : values[0]
  })
}

function failure(error: unknown, seeded: Seeded): string {
  if (!(error instanceof Error)) return inspect(error)
  const { name, code, errno, syscall, path, dest, message } = error as NodeJS.ErrnoException & { dest?: string }
  // The messages of argument errors differ between Node's releases.
  if (syscall === undefined) return `${name} ${code}`
  const text = inspect({ name, code, errno, syscall, path, dest, message }, { breakLength: Infinity })
  return withoutRandom(text.replaceAll(seeded.root, '<root>'))
}

async function showValue(api: typeof fs, value: unknown, seeded: Seeded): Promise<string> {
  if (value instanceof fs.Stats) return showStats(value)
  if (value instanceof fs.Dir) {
    const names: unknown[] = []
    for await (const entry of value) names.push(String(entry.name))
    return `Dir ${names.sort().join(' ')}`
  }
  if (typeof value === 'number') return opensAt(api, value, seeded)
  if (typeof value === 'string') return inspect(withoutRandom(value))
  if (Buffer.isBuffer(value)) return `Buffer ${withoutRandom(value.toString('latin1'))}`
  if (Array.isArray(value))
    return (await Promise.all(value.map((each) => showValue(api, each, seeded)))).sort().join('|')
  if (value instanceof fs.Dirent) return `Dirent ${value.name} ${value.parentPath} ${value.isDirectory()}`
  if (typeof value === 'object' && value !== null) return showObject(value)
  return inspect(value)
}

async function showObject(value: object): Promise<string> {
  const names = Object.keys(value).sort()
  if ('ino' in value)
    return `${value.constructor.name} ${names.map((name) => `${name}:${typeof Reflect.get(value, name)}`)}`
  if ('bavail' in value) return `StatFs ${typeof value.bavail}`
  if ('fd' in value && typeof value.fd === 'number' && 'close' in value) {
    await (value as { close(): Promise<void> }).close()
    return 'FileHandle'
  }
  return inspect(value)
}

function showStats(stats: fs.Stats): string {
  const kind = [stats.isFile(), stats.isDirectory(), stats.isSymbolicLink()].join()
  const isOld = stats.mtimeMs < 1e10
  return `Stats ${kind} ${stats.mode} ${stats.isFile() ? stats.size : ''} ${isOld ? stats.mtimeMs : 'now'}`
}

/** A descriptor that a call opened has a different number in each, so it is closed, and compared as one value. */
function opensAt(api: typeof fs, value: number, { dir }: Seeded): string {
  if (value <= dir) return String(value)
  api.closeSync(value)
  return 'a descriptor'
}

/** The suffix that `mkdtemp` adds. */
export function withoutRandom(text: string): string {
  return text.replaceAll(/temp-[A-Za-z0-9]{6}/g, 'temp-XXXXXX')
}
