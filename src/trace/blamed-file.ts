import { realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { readWhole } from '../host/read.js'
import { isBinary } from './attribution.js'

/** A file as it is blamed: its lines, and what they say of themselves. */
export interface BlamedFile {
  /** Relative to the root, as records name it. */
  readonly path: string
  readonly content: Uint8Array
}

/**
 * Reads a file of the workspace by its path, absolute or relative to the root.
 * @throws EscrowError `nothing_selected` where no file of text is, `path_escape` where it lies outside.
 */
export function readBlamed(root: string, path: string): BlamedFile {
  const place = physical(isAbsolute(path) ? path : join(root, path))
  if (place === undefined || !statSync(place).isFile()) {
    throw new EscrowError('nothing_selected', `There is no file ${path} in the workspace.`, {
      hint: 'Name a file as it is called now; a file that is gone has no lines.',
    })
  }
  if (!isWithin(place, root)) throw new EscrowError('path_escape', `${path} lies outside the workspace.`)
  const content = readWhole(place)
  if (isBinary(content)) throw new EscrowError('nothing_selected', `${path} is binary: it has no lines to blame.`)
  return { path: relative(root, place).replaceAll('\\', '/'), content }
}

function physical(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
