import { once } from 'node:events'
import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { createRooTools } from '../../src/agents/roo/index.js'
import type { Session } from '../../src/index.js'

/** The styles of calling `node:fs`. Each performs an op by its name, or throws `UnsupportedOp`. */

/** Performs an op by its name. Rejects with the error of the op. */
export type Caller = (op: string, ...args: unknown[]) => Promise<unknown>

/** The style has no form of this op, so the row does not run with it. */
export class UnsupportedOp extends Error {}

type FsApi = typeof fs

export const CALL_STYLES = ['sync', 'callback', 'promise', 'descriptor', 'handle', 'stream', 'roo'] as const
export type CallStyle = (typeof CALL_STYLES)[number]

export function callerFor(style: CallStyle, api: FsApi, session?: Session): Caller {
  if (style === 'roo') return session ? rooCaller(session) : rejectUnsupported
  const callers = { sync, callback, promise, descriptor, handle, stream }
  return callers[style](api)
}

const rejectUnsupported: Caller = () => Promise.reject(new UnsupportedOp())

function method(of: object, name: string): (...args: unknown[]) => unknown {
  const found: unknown = Reflect.get(of, name)
  if (typeof found !== 'function') throw new UnsupportedOp(name)
  return (...args) => Reflect.apply(found, of, args)
}

/** A result that is a directory or an async iterator, as of `opendir` and `glob`, is read to its end. */
const sync = (api: FsApi): Caller => {
  return async (op, ...args) => readToEnd(method(api, `${op}Sync`)(...args))
}

const callback = (api: FsApi): Caller => {
  return async (op, ...args) => {
    if (!(`${op}Sync` in api)) throw new UnsupportedOp(op)
    const call = method(api, op)
    return new Promise((resolve, reject) => {
      call(...args, (error: unknown, value: unknown) =>
        error === null || error === undefined ? resolve(readToEnd(value)) : reject(error),
      )
    })
  }
}

const promise = (api: FsApi): Caller => {
  return async (op, ...args) => readToEnd(await method(api.promises, op)(...args))
}

async function readToEnd(value: unknown): Promise<unknown> {
  if (value instanceof fs.Dir) {
    const names: string[] = []
    for await (const entry of value) names.push(entry.name)
    return names
  }
  return isIterator(value) ? collect(value) : value
}

function isIterator(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

async function collect<T>(values: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = []
  for await (const value of values) items.push(value)
  return items
}

type Path = fs.PathLike

/** The flags and the op that do the work of a path op on an open file. */
interface OpenFileOp {
  readonly flags: string
  readonly op: string
}

const OPEN_FILE_OPS: Readonly<Record<string, OpenFileOp>> = {
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

const descriptor = (api: FsApi): Caller => {
  return async (op, path, ...args) => {
    const target = OPEN_FILE_OPS[op]
    if (!target) throw new UnsupportedOp(op)
    const fd = api.openSync(path as Path, target.flags)
    try {
      const name = op === 'readFile' ? op : (DESCRIPTOR_OPS[op] ?? `f${op}`)
      return method(api, `${name}Sync`)(fd, ...(name === 'write' ? args.slice(0, 1) : args))
    } finally {
      api.closeSync(fd)
    }
  }
}

const handle = (api: FsApi): Caller => {
  return async (op, path, ...args) => {
    const target = OPEN_FILE_OPS[op]
    if (!target) throw new UnsupportedOp(op)
    const opened: FileHandle = await api.promises.open(path as Path, target.flags)
    try {
      return await method(opened, target.op)(...args)
    } finally {
      await opened.close()
    }
  }
}

const STREAM_FLAGS: Readonly<Record<string, string>> = { writeFile: 'w', appendFile: 'a' }

const stream = (api: FsApi): Caller => {
  return async (op, path, ...args) => {
    if (op === 'readFile') return collect(api.createReadStream(path as Path))
    const flags = STREAM_FLAGS[op]
    if (flags === undefined) throw new UnsupportedOp(op)
    const stream = api.createWriteStream(path as Path, { flags })
    stream.end(args[0])
    await once(stream, 'close')
    return undefined
  }
}

/** Calls a Roo tool for ops whose paths are strings. Throws if the tool returns an error. */
function rooCaller(session: Session): Caller {
  const tools = createRooTools(session)
  let id = 0
  return async (op, ...args) => {
    const call = rooCall(op, args)
    if (!call) throw new UnsupportedOp(op)
    const result = await tools.execute({ id: `call-${id++}`, ...call })
    if (result.isError) throw new Error(result.content)
    return result.content
  }
}

function rooCall(op: string, [path, argument]: readonly unknown[]) {
  if (typeof path !== 'string') return undefined
  const patch = (body: string) => ({
    name: 'apply_patch',
    arguments: { patch: `*** Begin Patch\n${body}\n*** End Patch` },
  })
  if (op === 'writeFile') return { name: 'write_to_file', arguments: { path, content: String(argument) } }
  if (op === 'unlink') return patch(`*** Delete File: ${path}`)
  if (op === 'rename' && typeof argument === 'string')
    return patch(`*** Update File: ${path}\n*** Move to: ${argument}`)
  if (op === 'readFile') return { name: 'read_file', arguments: { path } }
  if (op === 'readdir') return { name: 'list_files', arguments: { path, recursive: true } }
  return undefined
}
