import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import { devNull } from 'node:os'
import { fsError } from '../../overlay/index.js'
import { promiseOf } from './fairness.js'
import { HANDLE_OPS, type HandleInside, type HandleRow } from './handle-ops.js'
import { Spread } from './op-types.js'
import type { RefusedRow } from './ops.js'

/** The parts of its facade that a handle needs. */
export interface HandleDeps {
  call(stem: string, args: readonly unknown[], form?: 'sync' | 'callback' | 'promise'): unknown
  readStream(path: undefined, options: Record<string, unknown>): unknown
  writeStream(path: undefined, options: Record<string, unknown>): unknown
  refuse(method: string, why: string): never
}

const inside = Symbol('inside')

/** A governed FileHandle, made by {@link handleOf}. All its methods come from {@link HANDLE_OPS}. */
export class GovernedFileHandle extends EventEmitter {
  #fd: number
  readonly #deps: HandleDeps
  #closing: Promise<void> | undefined
  #closed: () => unknown = () => undefined
  /** The number of users: the handle itself until it is closed, and each of its streams. */
  #users = 1
  readonly [inside]: HandleInside
  /** An own property, as in Node: a function makes a copy for a worker fail. */
  readonly close = (): Promise<void> => promiseOf(() => this.#close())

  constructor(fd: number, deps: HandleDeps) {
    super()
    this.#fd = fd
    this.#deps = deps
    this[inside] = this.#makeInside()
  }

  /** The descriptor's number; -1 after it was closed. */
  get fd(): number {
    return this.#fd
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#close()
  }

  #makeInside(): HandleInside {
    const fd = () => this.#fd
    const stream = (options: Record<string, unknown>) => ({ ...options, fd: this })
    return {
      get fd() {
        return fd()
      },
      call: (stem, args, form) => this.#deps.call(stem, args, form),
      close: () => this.#close(),
      readStream: (options) => this.#deps.readStream(undefined, stream(options)),
      writeStream: (options) => this.#deps.writeStream(undefined, stream(options)),
    }
  }

  /** Streams are notified at once and end. The last of them to release the descriptor closes it. */
  #close(): Promise<void> {
    if (this.#closing) return this.#closing
    this.#closing = new Promise((resolve, reject) => {
      this.#closed = () => this.#closeNow().then(resolve, reject)
    })
    this.release()
    this.emit('close')
    return this.#closing
  }

  async #closeNow(): Promise<void> {
    const fd = this.#fd
    this.#fd = -1
    this.#deps.call('close', [fd])
  }

  /** @internal A stream uses the descriptor, which stays open until it is released. */
  hold(): void {
    this.#users++
  }

  /** @internal */
  release(): void {
    this.#users--
    if (this.#users === 0) this.#closed()
  }

  /** @internal */
  refuse(name: string, why: string): never {
    return this.#deps.refuse(`FileHandle.${name}`, why)
  }
}

/** The names that FileHandle gives to counts and buffers in its results. */
const NAMES: Readonly<Record<string, readonly [string, string]>> = {
  read: ['bytesRead', 'buffer'],
  readv: ['bytesRead', 'buffers'],
  write: ['bytesWritten', 'buffer'],
  writev: ['bytesWritten', 'buffers'],
}

export function namedResult(name: string, result: unknown): unknown {
  const names = NAMES[name]
  if (!(result instanceof Spread) || !names) return result
  return { [names[0]]: result.values[0], [names[1]]: result.values[1] }
}

function closedError(name: string): Error {
  return Object.assign(fsError('EBADF', name), { message: 'file closed' })
}

function methodOf(name: string, row: HandleRow | RefusedRow): (...args: unknown[]) => unknown {
  if (row.kind === 'refused') {
    return function (this: GovernedFileHandle) {
      return this.refuse(name, row.why)
    }
  }
  const run = (handle: GovernedFileHandle, args: unknown[]) => {
    if (handle.fd === -1 && name !== 'close' && name !== 'getAsyncId') throw closedError(row.syscall ?? name)
    return namedResult(name, row.run(handle[inside], args))
  }
  if (row.sync) {
    return function (this: GovernedFileHandle, ...args) {
      return run(this, args)
    }
  }
  return function (this: GovernedFileHandle, ...args) {
    return promiseOf(() => run(this, args))
  }
}

/** Adds the methods to the class: those of the table that the host has, and a refusal for each that the table lacks. */
function addMethods(hostNames: readonly string[]): void {
  const rows: Readonly<Record<string, HandleRow | RefusedRow>> = HANDLE_OPS
  const unknown: RefusedRow = { kind: 'refused', why: 'This version of escrowfs does not know the method.' }
  for (const name of hostNames) {
    const row = Object.hasOwn(rows, name) ? (rows[name] ?? unknown) : unknown
    const value = Object.defineProperty(methodOf(name, row), 'name', { value: name })
    Object.defineProperty(GovernedFileHandle.prototype, name, { value, writable: true, configurable: true })
  }
}

/** The running host's FileHandle methods, read from one of its own handles. */
async function hostMethods(): Promise<string[]> {
  const handle = await fs.promises.open(devNull, 'r')
  try {
    const prototype = Object.getPrototypeOf(handle) as object
    const names = [...Object.getOwnPropertyNames(prototype), ...Object.getOwnPropertyNames(handle)]
    return names.filter((name) => name !== 'constructor' && typeof Reflect.get(handle, name) === 'function')
  } finally {
    await handle.close()
  }
}

let methodsAdded: Promise<void> | undefined

/**
 * A handle of an open descriptor, which is closed if the handle cannot be made. The host's methods are read on first
 * use: a module that awaits while it loads cannot be required.
 */
export async function handleOf(fd: number, deps: HandleDeps): Promise<GovernedFileHandle> {
  methodsAdded ??= hostMethods().then(addMethods)
  try {
    await methodsAdded
  } catch (error) {
    methodsAdded = undefined
    deps.call('close', [fd])
    throw error
  }
  return new GovernedFileHandle(fd, deps)
}
