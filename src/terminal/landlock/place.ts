import type { Place } from '../command-place.js'
import type { Shown } from '../containment.js'
import { NO_SPOOL, openCopyPlace } from '../copy-place.js'
import { runAlone } from './run.js'

/** Opens a copy of the workspace that commands run on under Landlock, without a namespace. */
export async function openAlone({ root }: Shown): Promise<Place> {
  return openCopyPlace(root, {
    isolation: 'sandbox',
    startsWith: 'command',
    isAlive: true,
    run: (options, { scratch }) => runAlone({ root, tree: `${scratch}/tree`, temporary: `${scratch}/tmp` }, options),
    close: async () => undefined,
    ...NO_SPOOL,
  })
}
