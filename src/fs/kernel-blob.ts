import { codeOf } from '../../overlay/errno.js'
import { Denied } from '../core/denials.js'
import { invalidType, unopenedBlob } from './args.js'
import { readFile } from './kernel-read.js'
import type { Args } from './ops.js'
import type { ReadView } from './view.js'

/** A Blob of a file's content as it is now. Throws ERR_INVALID_ARG_VALUE for what cannot be read, as Node does. */
export function openAsBlob(view: ReadView, [path, given = {}]: Args): Blob {
  if (typeof given !== 'object' || given === null) throw invalidType('options', 'of type object', given)
  const type: unknown = ('type' in given && given.type) || ''
  if (typeof type !== 'string') throw invalidType('options.type', 'of type string', type)
  return new Blob([new Uint8Array(contentOf(view, path))], { type })
}

function contentOf(view: ReadView, path: unknown): Buffer {
  try {
    return Buffer.from(readFile(view, [path]))
  } catch (error) {
    if (error instanceof Denied || codeOf(error)?.startsWith('ERR_')) throw error
    throw unopenedBlob()
  }
}
