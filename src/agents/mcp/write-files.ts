import { z } from 'zod'
import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { codeOf } from '../../surface/index.js'
import { toSessionPath } from './paths.js'
import { defineTool, mutationClassArgument, pathArgument, reasonArgument, STAGES, TEXT, text } from './tool.js'

export const writeFile = defineTool('write_file', {
  title: 'Write File',
  description:
    'Write a whole file, new or existing. The write is staged: your reads show it, and it reaches the disk when a person approves it.',
  schema: z.object({
    path: pathArgument,
    content: z.string(),
    mutation_class: mutationClassArgument,
    reason: reasonArgument,
  }),
  output: TEXT,
  annotations: { ...STAGES, idempotentHint: true },
  plan: ({ path, content }) => ({
    class: 'write',
    kind: 'edit',
    writes: [{ path: toSessionPath(path), effect: 'put' }],
    run: async (session) => {
      await session.fs.promises.writeFile(toSessionPath(path), content)
      return text(`Successfully wrote to ${path}`)
    },
  }),
})

export const createDirectory = defineTool('create_directory', {
  title: 'Create Directory',
  description: 'Create a directory with its parents. An existing directory is left as it is. The change is staged.',
  schema: z.object({ path: pathArgument }),
  output: TEXT,
  annotations: { ...STAGES, idempotentHint: true },
  // A directory on the way to a scope may be created, though no file in it.
  plan: ({ path }, session) => ({
    ...(isDirectory(session, toSessionPath(path))
      ? { class: 'read' }
      : { class: 'write', writes: [{ path: toSessionPath(path), effect: 'mkdir' }] }),
    kind: 'edit',
    run: async () => {
      await session.fs.promises.mkdir(toSessionPath(path), { recursive: true })
      return text(`Successfully created directory ${path}`)
    },
  }),
})

function isDirectory(session: Session, path: string): boolean {
  try {
    return session.fs.statSync(path).isDirectory()
  } catch {
    return false
  }
}

export const moveFile = defineTool('move_file', {
  title: 'Move File',
  description: 'Move or rename a file or directory. Fails if the destination exists. The change is staged.',
  schema: z.object({
    source: pathArgument,
    destination: pathArgument,
    mutation_class: mutationClassArgument,
    reason: reasonArgument,
  }),
  output: TEXT,
  annotations: { ...STAGES, idempotentHint: false },
  plan: ({ source, destination }) => ({
    class: 'write',
    kind: 'edit',
    writes: [
      { path: toSessionPath(source), effect: 'move' },
      { path: toSessionPath(destination), effect: 'put' },
    ],
    run: async ({ fs }) => {
      // Synchronous, so that nothing can be overwritten in between.
      if (exists(fs, toSessionPath(destination))) throw new ToolFailure(`Destination already exists: ${destination}`)
      fs.renameSync(toSessionPath(source), toSessionPath(destination))
      return text(`Successfully moved ${source} to ${destination}`)
    },
  }),
})

export const deleteFile = defineTool('delete_file', {
  title: 'Delete File',
  description:
    'Delete a file, a link or an empty directory; with `recursive`, a directory with everything in it. The deletion is staged: it ' +
    'reaches the disk when a person approves it.',
  schema: z.object({
    path: pathArgument,
    recursive: z.boolean().optional(),
    mutation_class: mutationClassArgument,
    reason: reasonArgument,
  }),
  output: TEXT,
  annotations: { ...STAGES, idempotentHint: false },
  plan: ({ path, recursive = false }) => ({
    class: 'write',
    kind: 'edit',
    writes: [{ path: toSessionPath(path), effect: 'remove' }],
    run: async ({ fs }) => {
      if (!fs.lstatSync(toSessionPath(path)).isDirectory()) fs.unlinkSync(toSessionPath(path))
      else if (recursive) fs.rmSync(toSessionPath(path), { recursive: true })
      else fs.rmdirSync(toSessionPath(path))
      return text(`Successfully deleted ${path}`)
    },
  }),
})

function exists(fs: Session['fs'], path: string): boolean {
  try {
    fs.lstatSync(path)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}
