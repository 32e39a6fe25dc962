import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What the tests leave outside their workspaces lies here, and goes with the run: nothing of the user's is touched. */
export const STATE_HOME = join(tmpdir(), `escrowfs-state-${process.pid}`)

export function teardown(): void {
  rmSync(STATE_HOME, { recursive: true, force: true })
}
