import { readdirSync, realpathSync, statSync } from 'node:fs'
import { isAbsolute, join, relative } from 'node:path'
import { isWithin } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { shellWord } from '../core/shell-word.js'
import { readWhole } from '../os/read.js'
import { isBinary } from './attribution.js'

/** A text file of the workspace, for blame. */
export interface BlamedFile {
  /** Relative to the root, as in records. */
  readonly path: string
  readonly content: Uint8Array
}

/**
 * Reads a file of the workspace by its path, absolute or relative to the root.
 * @throws EscrowError `nothing_selected` if there is no text file, `path_escape` if it is outside the workspace
 */
export function readBlamed(root: string, path: string): BlamedFile {
  const place = physical(isAbsolute(path) ? path : join(root, path))
  if (place !== undefined && isWithin(place, root) && statSync(place).isDirectory())
    throw isDirectory(root, place, path)
  if (place === undefined || !statSync(place).isFile()) {
    throw new EscrowError('nothing_selected', `There is no file ${path} in the workspace.`, {
      hint: 'Use the current path of a file. A file that was deleted has no lines.',
    })
  }
  if (!isWithin(place, root)) throw new EscrowError('path_escape', `${path} is outside the workspace.`)
  const content = readWhole(place)
  if (isBinary(content)) throw new EscrowError('nothing_selected', `${path} is a binary file, so it has no lines.`)
  return { path: relative(root, place).replaceAll('\\', '/'), content }
}

function isDirectory(root: string, place: string, path: string): EscrowError {
  const file = readdirSync(place, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()[0]
  const example = file === undefined ? undefined : relative(root, join(place, file)).replaceAll('\\', '/')
  return new EscrowError('nothing_selected', `${path} is a directory.`, {
    hint: example === undefined ? 'Name a file in it.' : `Name a file in it: 'escrow blame ${shellWord(example)}'.`,
  })
}

function physical(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}
