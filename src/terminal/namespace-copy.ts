import { overwrite } from '../os/write.js'
import type { Place } from './command-place.js'
import { runContained } from './contained.js'
import type { Shown } from './containment.js'
import { openCopyPlace } from './copy-place.js'
import { spoolReader } from './denial-spool.js'
import { Holder } from './holder.js'

/** Bytes of the temporary directories of commands. They are in memory. */
const TEMPORARY_BYTES = 2 ** 30

/** Opens a copy of the workspace that commands see at the workspace's own path, under bubblewrap. It needs no overlayfs. */
export async function openNamespaceCopy({ root }: Shown): Promise<Place> {
  const holder = await Holder.open(root, TEMPORARY_BYTES)
  const { places } = holder
  return openCopyPlace(root, {
    isolation: 'sandbox',
    startsWith: 'init',
    get isAlive() {
      return holder.isAlive
    },
    run: (options, { scratch }) => runContained(holder, root, options, `${scratch}/tree`),
    readSpool: spoolReader(places.denials),
    publishFeedback: (text) => overwrite(places.feedback, text),
    close: () => holder.close(),
  })
}
