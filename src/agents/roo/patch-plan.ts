import { resolve } from 'node:path/posix'
import type { PatchOperation } from '../../hooks/index.js'
import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { codeOf } from '../../surface/index.js'
import { exists, readText } from './files.js'
import { applyChunks } from './patch-chunks.js'

/** One resulting change of the stage. */
export type PatchStep =
  | { readonly type: 'put'; readonly path: string; readonly content: string; readonly created: boolean }
  | { readonly type: 'remove'; readonly path: string }
  | { readonly type: 'move'; readonly path: string; readonly to: string }

/**
 * Computes a patch in memory, without writing. Later operations see the results of earlier ones, so two updates of one file are
 * both kept, and a patch that fails anywhere changes nothing.
 */
export async function planPatch(session: Session, operations: readonly PatchOperation[]): Promise<PatchStep[]> {
  const view = await createView(session)
  const steps: PatchStep[] = []
  for (const operation of operations) steps.push(...(await planOperation(view, operation)))
  return steps
}

async function planOperation(view: View, operation: PatchOperation): Promise<PatchStep[]> {
  const { path } = operation
  if (operation.type === 'add') {
    await view.mustBeFree(path)
    await view.set(path, operation.content)
    return [{ type: 'put', path, content: operation.content, created: true }]
  }
  const before = await view.get(path)
  if (operation.type === 'delete') {
    await view.set(path, null)
    return [{ type: 'remove', path }]
  }
  const content = applyChunks(before, operation.chunks, path)
  const to = operation.moveTo
  if (to === undefined) {
    await view.set(path, content)
    return [{ type: 'put', path, content, created: false }]
  }
  await view.mustBeFree(to)
  await view.set(path, null)
  await view.set(to, content)
  const put: PatchStep[] = content === before ? [] : [{ type: 'put', path: to, content, created: false }]
  return [{ type: 'move', path, to }, ...put]
}

/** The session's files with the patch so far applied; a file has one entry, however its path is spelled. */
interface View {
  get(path: string): Promise<string>
  set(path: string, content: string | null): Promise<void>
  mustBeFree(path: string): Promise<void>
}

async function createView(session: Session): Promise<View> {
  const root = await session.fs.promises.realpath('.')
  const contents = new Map<string, string | null>()
  const keyOf = async (path: string) => {
    try {
      return await session.fs.promises.realpath(path)
    } catch (error) {
      if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error
      return resolve(root, path)
    }
  }
  return {
    async get(path) {
      const known = contents.get(await keyOf(path))
      if (known === null) throw new ToolFailure(`File not found: ${path}. The patch itself removes it earlier.`)
      return known ?? (await readText(session, path))
    },
    async set(path, content) {
      contents.set(await keyOf(path), content)
    },
    async mustBeFree(path) {
      const known = contents.get(await keyOf(path))
      const isTaken = known === undefined ? await exists(session, path) : known !== null
      if (isTaken) throw new ToolFailure(`File already exists: ${path}. Update it, or delete it first.`)
    },
  }
}
