import { basename, dirname } from 'node:path/posix'
import { childOf, Errno, type RelPath } from '../../overlay/index.js'
import type { ToolCall } from '../core/api.js'
import { type Denial, type DenialError, Denied, denialError } from '../core/denials.js'
import type { View } from './view.js'

const SYSCALLS = { put: 'open', move: 'rename', remove: 'unlink', mkdir: 'mkdir' } as const

/**
 * Judges every path that a tool call is going to change, before its first write, so that a call of many files is denied
 * whole. A path that cannot be resolved yet is judged at its own write. Returns the first denial, after `denied` was
 * called with it.
 */
export function judgeWrites(
  view: View,
  writes: NonNullable<ToolCall['writes']>,
  denied: (denial: Denial) => void,
): DenialError | undefined {
  for (const { path, effect } of writes) {
    try {
      view.within(() => {
        if (effect === 'mkdir') return void judgeDirectory(view, path)
        const place = view.target(path, effect === 'put' ? 'follow' : 'exact', effect)
        view.layer.judge(effect, place.path)
      })
    } catch (error) {
      if (!(error instanceof Denied)) continue
      denied(error.denial)
      return denialError(error.denial, SYSCALLS[effect], path)
    }
  }
  return undefined
}

/**
 * As `mkdir -p` makes it: judges the missing directories from the top, and no existing one. Returns the resolved path.
 */
function judgeDirectory(view: View, path: string): RelPath {
  try {
    const place = view.target(path, 'follow', 'mkdir')
    if (place.type === undefined) view.layer.judge('mkdir', place.path)
    return place.path
  } catch (error) {
    // A path that leaves a missing directory again cannot be resolved.
    if (!(error instanceof Errno) || error.code !== 'ENOENT' || basename(path) === '..') throw error
    const created = childOf(judgeDirectory(view, dirname(path)), basename(path))
    view.layer.judge('mkdir', created)
    return created
  }
}
