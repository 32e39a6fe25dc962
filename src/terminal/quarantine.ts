import { digest } from '../../overlay/index.js'
import { newId } from '../core/ids.js'
import { createFile, ensureDir } from '../host/write.js'
import type { RefusedEffect } from './land.js'

/** One thing a command did that the stage did not take, as it is kept for a person. */
export interface Quarantined {
  readonly path: string
  readonly kind: string
  readonly reason: string
  readonly message: string
  readonly mode?: number
  /** A symlink's. */
  readonly target?: string
  /** A file's content: the name of the file beside this one that has it; undefined where it is too much to keep. */
  readonly content?: string
}

/** Bytes of content that are kept of one command. */
const KEPT = 256 << 20

/**
 * Keeps refused effects in a directory of their own below `dir`: `refused.json`, and the contents by digest.
 * Nothing refused: nothing is made.
 */
export function quarantine(dir: string, refused: readonly RefusedEffect[]): void {
  if (refused.length === 0) return
  const place = `${dir}/${new Date().toISOString().replace(/[:.]/g, '-')}-${newId().slice(0, 8)}`
  ensureDir(place, 0o700)
  let room = KEPT
  const kept = new Set<string>()
  const keep = (effect: RefusedEffect['effect']): string | undefined => {
    if (effect.kind !== 'file' || effect.size > room) return undefined
    const data = effect.read()
    const name = digest(data).replace(':', '-')
    if (!kept.has(name)) createFile(`${place}/${name}`, data, 0o600, false)
    kept.add(name)
    room -= data.length
    return name
  }
  const list = refused.map(({ path, reason, message, effect }): Quarantined => {
    const content = keep(effect)
    return {
      ...{ path, kind: effect.kind, reason, message },
      ...('mode' in effect && { mode: effect.mode }),
      ...(effect.kind === 'symlink' && { target: effect.target }),
      ...(content !== undefined && { content }),
    }
  })
  createFile(`${place}/refused.json`, `${JSON.stringify(list, null, 2)}\n`, 0o600, true)
}
