import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The two entries of escrowfs that the extension uses. */
export interface Library {
  readonly escrow: typeof import('escrowfs')
  readonly editor: typeof import('escrowfs/vscode')
}

/**
 * Loads escrowfs: the bundled copy, or the one that a workspace has installed. The second runs code of the
 * workspace, so only a machine setting may choose it.
 * @param installed the root of the workspace whose copy to load
 */
export async function loadLibrary(bundledDir: string, installed?: string): Promise<Library> {
  const fileOf = (name: 'escrowfs' | 'escrowfs/vscode', file: string) =>
    installed === undefined ? join(bundledDir, file) : createRequire(join(installed, 'package.json')).resolve(name)
  const load = (file: string): Promise<unknown> => import(pathToFileURL(file).href)
  const [escrow, editor] = [
    await load(fileOf('escrowfs', 'index.mjs')),
    await load(fileOf('escrowfs/vscode', 'vscode.mjs')),
  ]
  if (!isEscrow(escrow) || !isEditor(editor)) throw new Error('The escrowfs that was found is another release.')
  return { escrow, editor }
}

function isEscrow(found: unknown): found is Library['escrow'] {
  return hasFunctions(found, ['openWorkspace', 'groupChanges', 'admitReviewer'])
}

function isEditor(found: unknown): found is Library['editor'] {
  return hasFunctions(found, ['stagedSides', 'displayKey', 'sideRefOf', 'plainName'])
}

function hasFunctions(found: unknown, names: readonly string[]): boolean {
  if (typeof found !== 'object' || found === null) return false
  const functions = new Map<string, unknown>(Object.entries(found))
  return names.every((name) => typeof functions.get(name) === 'function')
}
