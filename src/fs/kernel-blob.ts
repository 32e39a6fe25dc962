import { codeOf, Errno } from '../../overlay/index.js'
import { Denied } from '../core/denials.js'
import { invalidType, readPath, unopenedBlob } from './args.js'
import { BLOB_THROWS_STAT_ERRORS } from './host-traits.js'
import { readFile } from './kernel-read.js'
import type { Args, Form } from './op-types.js'
import type { ReadView } from './view.js'

/** A Blob of a file's current content. Throws ERR_INVALID_ARG_VALUE for an unreadable path, as Node does. */
export function openAsBlob(view: ReadView, [path, given = {}]: Args, form: Form): Blob | Promise<Blob> {
  if (typeof given !== 'object' || given === null) throw invalidType('options', 'of type object', given)
  const type: unknown = ('type' in given && given.type) || ''
  if (typeof type !== 'string') throw invalidType('options.type', 'of type string', type)
  const text = readPath('path', path)
  const blobOf = (content: Buffer | string) => new Blob([Uint8Array.from(Buffer.from(content))], { type })
  try {
    const content = readFile(view, [text], form)
    return content instanceof Promise ? content.then(blobOf, throwBlobError) : blobOf(content)
  } catch (error) {
    return throwBlobError(error)
  }
}

function throwBlobError(error: unknown): never {
  if (error instanceof Denied)
    throw error.denial.reason === 'hidden' ? new Denied(error.denial, unread('ENOENT')) : error
  const code = codeOf(error)
  throw code?.startsWith('ERR_') ? error : unread(code)
}

/** The error for a path that cannot be read. */
function unread(code: string | undefined): Error {
  return BLOB_THROWS_STAT_ERRORS && code !== undefined ? new Errno(code, 'stat') : unopenedBlob()
}
