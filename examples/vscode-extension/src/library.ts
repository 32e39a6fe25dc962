import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** The two parts of escrowfs that the extension uses. */
export interface Library {
  readonly escrow: typeof import('escrowfs')
  readonly editor: typeof import('escrowfs/vscode')
}

/**
 * Loads escrowfs: the copy that the extension brings, or the one a workspace has installed. The second runs code of the
 * workspace, so it has to be chosen in the settings of the machine.
 * @param installed the root of the workspace whose own copy is wanted
 */
export async function loadLibrary(brought: string, installed?: string): Promise<Library> {
  const fileOf = (name: 'escrowfs' | 'escrowfs/vscode', file: string) =>
    installed === undefined ? join(brought, file) : createRequire(join(installed, 'package.json')).resolve(name)
  const load = (file: string): Promise<unknown> => import(pathToFileURL(file).href)
  const [escrow, editor] = [
    await load(fileOf('escrowfs', 'index.mjs')),
    await load(fileOf('escrowfs/vscode', 'vscode.mjs')),
  ]
  if (!isEscrow(escrow) || !isEditor(editor)) throw new Error('What was found as escrowfs is another release.')
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
