import { digest } from '../../overlay/index.js'
import type { QueuedChange } from './types.js'

/**
 * The key of a change, to which verdicts are bound. Equal keys mean the same path, kind, modes and bytes on both sides.
 */
export function changeKey({ path, from, kind, before, after, mode }: Omit<QueuedChange, 'shown' | 'risk'>): string {
  const modes = mode === undefined ? null : [mode.before, mode.after]
  return digest(JSON.stringify([path, from ?? null, kind, before, after, modes]))
}
