import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { openWorkspace, type Workspace } from '../../src/index.js'

/** Texts of files, by path relative to the root. */
export type Files = Readonly<Record<string, string>>

/** Runs `work` on a temporary workspace, then removes it and its state directory. */
export async function withScratchWorkspace<T>(files: Files, work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'escrowfs-docs-'))
  const { XDG_STATE_HOME: savedHome } = process.env
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
    if (savedHome === undefined) delete process.env.XDG_STATE_HOME
    else process.env.XDG_STATE_HOME = savedHome
    rmSync(home, { recursive: true, force: true })
  }
}

export const ONE_INTENT = `active_intents:
  - id: INT-001
    name: Count on
    owned_scope: [src/**]
`
