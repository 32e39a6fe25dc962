import type { Mark } from '../../overlay/index.js'
import type { Snapshot } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { StageStore } from './store.js'

/** The snapshots of a stage, oldest first. */
export function snapshotsOf({ overlay }: StageStore): Snapshot[] {
  return overlay.stage.snapshots.list().map(toSnapshot)
}

/** A snapshot in its public form. */
export function toSnapshot({ id, t, name, call, tool, parent }: Mark): Snapshot {
  return {
    id,
    ...defined({ name }),
    at: new Date(Number(BigInt(t) / 1_000_000n)).toISOString(),
    ...defined({ callId: call, tool, parent }),
  }
}
