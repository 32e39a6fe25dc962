import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openWorkspace, type Workspace } from '../../src/index.js'

/** Files of a workspace, by their names relative to its root. */
export type Files = Readonly<Record<string, string>>

/** Runs `work` on a workspace of its own, which is gone afterwards; so are the anchors it leaves. */
export async function inScratch<T>(files: Files, work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'escrowfs-docs-'))
  const { XDG_STATE_HOME: before } = process.env
  process.env.XDG_STATE_HOME = join(home, 'state')
  try {
    const root = join(home, 'shop')
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, name)), { recursive: true })
      writeFileSync(join(root, name), text)
    }
    const workspace = await openWorkspace(root)
    try {
      await workspace.accept((await workspace.trust()).digest, { name: 'Ada' })
      return await work(workspace)
    } finally {
      await workspace.close()
    }
  } finally {
    if (before === undefined) delete process.env.XDG_STATE_HOME
    else process.env.XDG_STATE_HOME = before
    rmSync(home, { recursive: true, force: true })
  }
}

export const ONE_INTENT = `active_intents:
  - id: INT-001
    name: Count on
    owned_scope: [src/**]
`
