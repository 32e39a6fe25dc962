import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { EscrowError, type GitCommitPer } from '../index.js'
import { createFile, ensureDir } from '../surface/index.js'
import type { Context } from './context.js'
import { oneLine } from './printable.js'
import { targetReview } from './staged-paths.js'

/**
 * Writes a session's review for somebody who has no escrowfs: one HTML page, and a patch series.
 * @param session undefined for the only session with staged changes
 * @param to a directory that is new or empty, relative to that of the command
 */
export async function exportReview(
  { io, directory, asReviewer }: Context,
  session: string | undefined,
  to: string,
  per: GitCommitPer | undefined,
): Promise<void> {
  const target = resolve(directory(), to)
  const files = await asReviewer(async (workspace) => {
    const review = await targetReview(workspace, session)
    const { renderStaticReview } = await import('../web/index.js')
    const patches = await review.patches(per)
    const names = patches.map(({ name }) => name)
    return [{ name: 'index.html', content: await renderStaticReview(workspace, review, names) }, ...patches]
  })
  makeEmptyDirectory(target)
  for (const { name, content } of files) createFile(join(target, name), content, 0o644, false)
  const patches = files.length === 2 ? '1 patch' : `${files.length - 1} patches`
  io.out(`Wrote index.html and ${patches} to ${oneLine(to)}.\n`)
}

function makeEmptyDirectory(path: string): void {
  ensureDir(path)
  if (readdirSync(path).length === 0) return
  throw new EscrowError('unsupported', `${path} is not empty. Nothing was written.`, {
    hint: 'Name a directory that does not exist yet, or an empty one.',
  })
}
