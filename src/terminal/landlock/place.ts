import { holdProcess } from '../../os/child.js'
import type { Place } from '../command-place.js'
import type { Shown } from '../containment.js'
import { NO_SPOOL, openCopyPlace } from '../copy-place.js'
import { type Launcher, runAlone, startLauncher } from './run.js'

/** Opens a copy of the workspace that commands run on under Landlock, without a namespace. */
export async function openAlone({ root }: Shown): Promise<Place> {
  /**
   * A launcher that was started in advance: while the copy was updated from the stage, or after the previous command.
   */
  let waiting: Launcher | undefined
  const take = (): Launcher | undefined => {
    const taken = waiting
    waiting = undefined
    const { exitCode, signalCode, pid } = taken?.child ?? {}
    if (taken === undefined || pid === undefined || exitCode !== null || signalCode !== null) return undefined
    holdProcess(taken.child, true)
    return taken
  }
  const drop = () => {
    // It ends with its channel.
    waiting?.channel.destroy()
    waiting = undefined
  }
  return openCopyPlace(root, {
    isolation: 'sandbox',
    startsWith: 'command',
    isAlive: true,
    prepare() {
      drop()
      waiting = startLauncher(false)
      holdProcess(waiting.child, false)
    },
    run(options, { scratch }) {
      if (options.terminal) drop()
      const place = { root, tree: `${scratch}/tree`, temporary: `${scratch}/tmp`, home: `${scratch}/home` }
      return runAlone(place, options, take())
    },
    close: async () => drop(),
    ...NO_SPOOL,
  })
}
