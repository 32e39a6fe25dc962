import { z } from 'zod'
import { parsePatch } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { makeParents, writeText } from './files.js'
import { type PatchStep, planPatch } from './patch-plan.js'
import { NOTICE } from './result.js'
import { defineTool } from './tool.js'

/** `apply_patch`: adds, updates, moves and deletes files in one patch, which applies or fails as a whole. */
export const applyPatch = defineTool('apply_patch', z.object({ patch: z.string().min(1) }), ({ patch }) => {
  const operations = parsePatch(patch)
  return async (session) => {
    const steps = await planPatch(session, operations)
    for (const step of steps) await applyStep(session, step)
    const files = summarize(steps)
    const [only, second] = files
    return only !== undefined && second === undefined ? { ...only, notice: NOTICE } : { files, notice: NOTICE }
  }
})

async function applyStep(session: Session, step: PatchStep): Promise<void> {
  if (step.type === 'put') await writeText(session, step.path, step.content)
  else if (step.type === 'remove') await session.fs.promises.unlink(step.path)
  else {
    await makeParents(session, step.to)
    await session.fs.promises.rename(step.path, step.to)
  }
}

interface PatchedFile {
  readonly path: string
  readonly operation: string
  readonly from?: string
}

/** One entry per path with its final operation. */
function summarize(steps: readonly PatchStep[]): PatchedFile[] {
  const files = new Map<string, PatchedFile>()
  for (const step of steps) {
    if (step.type === 'move') files.set(step.to, { path: step.to, operation: 'moved', from: step.path })
    else if (step.type === 'remove') files.set(step.path, { path: step.path, operation: 'deleted' })
    else if (!files.has(step.path) || files.get(step.path)?.operation === 'deleted') {
      files.set(step.path, { path: step.path, operation: step.created ? 'created' : 'modified' })
    }
  }
  return [...files.values()]
}
