import { z } from 'zod'
import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { applyEdits } from './edit-text.js'
import { resolveInWorkspace, toSessionPath } from './paths.js'
import { defineTool, mutationClassArgument, pathArgument, reasonArgument, STAGES, TEXT, text } from './tool.js'

const schema = z.object({
  path: pathArgument,
  edits: z.array(
    z.object({
      oldText: z.string().describe('The text to replace, exactly as in the file.'),
      newText: z.string().describe('The new text.'),
    }),
  ),
  dryRun: z.boolean().default(false).describe('Return the diff without changing the file.'),
  mutation_class: mutationClassArgument,
  reason: reasonArgument,
})

export const editFile = defineTool('edit_file', {
  title: 'Edit File',
  description: 'Replace texts in a file, all of them or none. Returns a git-style diff. The change is staged.',
  schema,
  output: TEXT,
  annotations: { ...STAGES, idempotentHint: false },
  plan: ({ path, edits, dryRun }, _session, { signal }) => ({
    class: dryRun ? 'read' : 'write',
    kind: 'edit',
    ...(!dryRun && { writes: [{ path: toSessionPath(path), effect: 'put' }] }),
    run: async (session) => {
      const place = await resolveInWorkspace(session, path)
      signal.throwIfAborted()
      // Synchronous from here on, so that two concurrent edits both apply.
      const { content, diff } = applyEdits(textOf(session.fs, place, path), edits, place)
      if (dryRun) return text(diff)
      session.fs.writeFileSync(toSessionPath(path), content)
      return text(diff)
    },
  }),
})

/** Decodes a file strictly, because other content would not survive being written back. */
function textOf(fs: Session['fs'], place: string, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(place))
  } catch (error) {
    if (error instanceof TypeError) throw new ToolFailure(`${path} is not a UTF-8 text file.`)
    throw error
  }
}
