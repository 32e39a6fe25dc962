import { createInterface } from 'node:readline'
import { ReadableStream } from 'node:stream/web'
import { contentPromiseForm } from './derive.js'
import type { Form } from './op-types.js'
import { type RefusedRow, refusedRow } from './ops.js'
import type { HandleMethod } from './stems.js'

/**
 * FileHandle's methods, each in terms of the descriptor rows of the op table. A method that a host's types add fails
 * the type check here. One that only the running host has is refused by name when a handle is made.
 */

/** The handle, as its methods use it. */
export interface HandleInside {
  /** Its descriptor. */
  readonly fd: number
  /** Calls an op of the table, by stem. */
  call(stem: string, args: readonly unknown[], form?: Form): unknown
  close(): Promise<void>
  readStream(options: Record<string, unknown>): unknown
  writeStream(options: Record<string, unknown>): unknown
}

export interface HandleRow {
  readonly kind: 'method'
  readonly run: (handle: HandleInside, args: readonly unknown[]) => unknown
  /** Whether the method returns its result at once, without a promise. */
  readonly sync?: true
  /** Node's name for the method in the error of a closed handle, if it differs. */
  readonly syscall?: string
}

function method(run: HandleRow['run']): HandleRow {
  return { kind: 'method', run }
}

function direct(run: HandleRow['run']): HandleRow {
  return { kind: 'method', run, sync: true }
}

/** A method that is an op on the descriptor. */
function op(stem: string): HandleRow {
  return { ...method((handle, args) => handle.call(stem, [handle.fd, ...args])), syscall: stem }
}

/** Content in chunks takes time: the descriptor is read when all of them have arrived. */
function content(): HandleRow {
  const write = method((handle, args) =>
    contentPromiseForm(([, ...given]) => handle.call('writeFile', [handle.fd, ...given]))(undefined, ...args),
  )
  return { ...write, syscall: 'writeFile' }
}

const NEW_STREAMS = 'Node has it only behind an experimental flag. Use createReadStream and createWriteStream.'

export const HANDLE_OPS = {
  appendFile: content(),
  chmod: op('fchmod'),
  chown: op('fchown'),
  close: method((handle) => handle.close()),
  createReadStream: direct((handle, [options]) => handle.readStream(optionsOf(options))),
  createWriteStream: direct((handle, [options]) => handle.writeStream(optionsOf(options))),
  datasync: op('fdatasync'),
  getAsyncId: direct(() => -1),
  pull: refusedRow(NEW_STREAMS),
  read: op('read'),
  readFile: op('readFile'),
  readLines: direct((handle, [options]) =>
    createInterface({
      input: handle.readStream(optionsOf(options)) as NodeJS.ReadableStream,
      crlfDelay: Number.POSITIVE_INFINITY,
    }),
  ),
  readableWebStream: direct((handle, [options]) => webStream(handle, optionsOf(options))),
  readv: op('readv'),
  stat: op('fstat'),
  sync: op('fsync'),
  truncate: op('ftruncate'),
  utimes: op('futimes'),
  write: op('write'),
  writeFile: content(),
  writer: refusedRow(NEW_STREAMS),
  writev: op('writev'),
} satisfies Record<HandleMethod, HandleRow | RefusedRow> & Record<string, HandleRow | RefusedRow>

function optionsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

const CHUNK = 16_384

function webStream(handle: HandleInside, options: Record<string, unknown>): ReadableStream {
  return new ReadableStream({
    type: 'bytes',
    async pull(controller) {
      const buffer = new Uint8Array(CHUNK)
      const count = handle.call('read', [handle.fd, buffer, 0, CHUNK, null], 'sync') as number
      if (count > 0) {
        controller.enqueue(buffer.subarray(0, count))
        return
      }
      controller.close()
      controller.byobRequest?.respond(0)
      if (options.autoClose === true) await handle.close()
    },
  })
}
