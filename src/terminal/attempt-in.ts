import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { errorText } from '../core/error-text.js'
import type { Attempt, ContainmentFailure } from '../core/protection.js'
import { makeDir, makeTempDir, removeTree } from '../os/write.js'
import type { CommandOptions } from './command-io.js'
import type { Place } from './command-place.js'
import type { Containment } from './containment.js'

/** Runs a command of a provider in an empty workspace, and expects that it succeeds. Never rejects. */
export async function attemptIn(
  open: Containment['open'],
  about: Pick<ContainmentFailure, 'what' | 'fix'>,
): Promise<Attempt> {
  const root = makeTempDir(`${realpathSync(tmpdir())}/escrowfs-`)
  let place: Place | undefined
  try {
    makeDir(`${root}/.orchestration`)
    place = await open({ root })
    const { exitCode, stderr, ended } = await place.run(plainOptions(root))
    if (exitCode === 0) return { works: true }
    const end = ended === undefined ? `exited with ${exitCode}` : `was stopped: ${ended}`
    return { works: false, failure: { ...about, problem: stderr.trim() || `A command ${end}.` } }
  } catch (error) {
    return { works: false, failure: { ...about, problem: errorText(error) } }
  } finally {
    await place?.close()
    removeTree(root)
  }
}

/** Options of a command that needs nothing. */
function plainOptions(root: string): CommandOptions {
  return {
    args: ['/bin/sh', '-c', 'exit 0'],
    cwd: root,
    env: { PATH: '/usr/bin:/bin' },
    network: false,
    timeout: 20_000,
    processes: 64,
    visibility: { hidden: [], shown: [] },
    readOnlyNames: [],
  }
}
