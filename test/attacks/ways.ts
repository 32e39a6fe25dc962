import { once } from 'node:events'
import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { createRooTools } from '../../src/agents/roo/index.js'
import type { Session } from '../../src/index.js'

/** The ways in: each does an op of `node:fs`, in its own manner, or says that it has none for it. */

/** Does an op by its name. Rejects as the op does. */
export type Hand = (op: string, ...args: unknown[]) => Promise<unknown>

/** The way has no manner of doing this op: the row is not run by it. */
export class NoWay extends Error {}

type Faces = typeof fs

export const WAYS = ['sync', 'callback', 'promise', 'descriptor', 'handle', 'stream', 'roo'] as const
export type Way = (typeof WAYS)[number]

export function handOf(way: Way, api: Faces, session?: Session): Hand {
  if (way === 'roo') return session ? rooHand(session) : none
  const hands = { sync, callback, promise, descriptor, handle, stream }
  return hands[way](api)
}

const none: Hand = () => Promise.reject(new NoWay())

function method(of: object, name: string): (...args: unknown[]) => unknown {
  const found: unknown = Reflect.get(of, name)
  if (typeof found !== 'function') throw new NoWay(name)
  return (...args) => Reflect.apply(found, of, args)
}

/** What only some forms have an op for: `glob` and `watch` as iterators are read out. */
const sync = (api: Faces): Hand => {
  return async (op, ...args) => drained(method(api, `${op}Sync`)(...args))
}

const callback = (api: Faces): Hand => {
  return async (op, ...args) => {
    if (!(`${op}Sync` in api)) throw new NoWay(op)
    const call = method(api, op)
    return new Promise((resolve, reject) => {
      call(...args, (error: unknown, value: unknown) =>
        error === null || error === undefined ? resolve(drained(value)) : reject(error),
      )
    })
  }
}

const promise = (api: Faces): Hand => {
  return async (op, ...args) => drained(await method(api.promises, op)(...args))
}

async function drained(value: unknown): Promise<unknown> {
  if (value instanceof fs.Dir) {
    const names: string[] = []
    for await (const entry of value) names.push(entry.name)
    return names
  }
  return isIterator(value) ? gathered(value) : value
}

function isIterator(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

async function gathered<T>(values: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const value of values) found.push(value)
  return found
}

type Path = fs.PathLike

/** An op on a path as an op on what was opened by it: the flags, and the call. */
interface Opened {
  readonly flags: string
  readonly op: string
}

const BY_FILE: Readonly<Record<string, Opened>> = {
  writeFile: { flags: 'w', op: 'writeFile' },
  appendFile: { flags: 'a', op: 'appendFile' },
  truncate: { flags: 'r+', op: 'truncate' },
  chmod: { flags: 'r', op: 'chmod' },
  chown: { flags: 'r', op: 'chown' },
  utimes: { flags: 'r', op: 'utimes' },
  readFile: { flags: 'r', op: 'readFile' },
  stat: { flags: 'r', op: 'stat' },
}

const DESCRIPTOR_OPS: Readonly<Record<string, string>> = { writeFile: 'write', appendFile: 'write' }

const descriptor = (api: Faces): Hand => {
  return async (op, path, ...args) => {
    const way = BY_FILE[op]
    if (!way) throw new NoWay(op)
    const fd = api.openSync(path as Path, way.flags)
    try {
      const name = op === 'readFile' ? op : (DESCRIPTOR_OPS[op] ?? `f${op}`)
      return method(api, `${name}Sync`)(fd, ...(name === 'write' ? args.slice(0, 1) : args))
    } finally {
      api.closeSync(fd)
    }
  }
}

const handle = (api: Faces): Hand => {
  return async (op, path, ...args) => {
    const way = BY_FILE[op]
    if (!way) throw new NoWay(op)
    const opened: FileHandle = await api.promises.open(path as Path, way.flags)
    try {
      return await method(opened, way.op)(...args)
    } finally {
      await opened.close()
    }
  }
}

const STREAM_FLAGS: Readonly<Record<string, string>> = { writeFile: 'w', appendFile: 'a' }

const stream = (api: Faces): Hand => {
  return async (op, path, ...args) => {
    if (op === 'readFile') return gathered(api.createReadStream(path as Path))
    const flags = STREAM_FLAGS[op]
    if (flags === undefined) throw new NoWay(op)
    const made = api.createWriteStream(path as Path, { flags })
    made.end(args[0])
    await once(made, 'close')
    return undefined
  }
}

/** A tool's call for an op whose paths are texts; what a tool refuses is thrown. */
function rooHand(session: Session): Hand {
  const tools = createRooTools(session)
  let id = 0
  return async (op, ...args) => {
    const call = rooCall(op, args)
    if (!call) throw new NoWay(op)
    const result = await tools.execute({ id: `call-${id++}`, ...call })
    if (result.isError) throw new Error(result.content)
    return result.content
  }
}

function rooCall(op: string, [path, more]: readonly unknown[]) {
  if (typeof path !== 'string') return undefined
  const patch = (body: string) => ({
    name: 'apply_patch',
    arguments: { patch: `*** Begin Patch\n${body}\n*** End Patch` },
  })
  if (op === 'writeFile') return { name: 'write_to_file', arguments: { path, content: String(more) } }
  if (op === 'unlink') return patch(`*** Delete File: ${path}`)
  if (op === 'rename' && typeof more === 'string') return patch(`*** Update File: ${path}\n*** Move to: ${more}`)
  if (op === 'readFile') return { name: 'read_file', arguments: { path } }
  if (op === 'readdir') return { name: 'list_files', arguments: { path, recursive: true } }
  return undefined
}
