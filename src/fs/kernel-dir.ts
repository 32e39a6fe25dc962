import type { Dirent } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readEncoding, readInteger, readOptions, readPath } from './args.js'
import { direntOf, entriesOf } from './kernel-list.js'
import type { Args } from './op-types.js'
import type { ReadView } from './view.js'

/** The first state of an open directory, which is listed when it is opened. */
export interface OpenedDir {
  readonly path: string | Buffer
  readonly entries: readonly Dirent[]
  readonly recursive: boolean
  readonly bufferSize: number
  readonly encoding: unknown
}

const MAX_BUFFER = 2 ** 32 - 1

export function opendir(view: ReadView, [path, given]: Args): OpenedDir {
  const options = readOptions(given)
  const text = readPath('path', path)
  readEncoding(options)
  const bufferSize = readInteger('options.bufferSize', options.bufferSize ?? 32, 1, MAX_BUFFER)
  return {
    path: path instanceof URL ? fileURLToPath(path) : Buffer.isBuffer(path) ? path : text,
    entries: entriesOf(view, text).map((entry) => direntOf(entry, text, options)),
    recursive: Boolean(options.recursive),
    bufferSize,
    encoding: options.encoding,
  }
}
