import type { ToolCall } from '../core/api.js'
import { type Denial, type DenialError, Denied, denialError } from '../core/denials.js'
import type { View } from './view.js'

const SYSCALLS = { put: 'open', move: 'rename', remove: 'unlink' } as const

/**
 * Judges every path a tool call is going to change, before its first write: a call of many files is denied whole.
 * A path that leads nowhere yet is judged when the tool comes to it. Answers with the first denial, after `denied` was
 * told of it.
 */
export function judgeWrites(
  view: View,
  writes: NonNullable<ToolCall['writes']>,
  denied: (denial: Denial) => void,
): DenialError | undefined {
  for (const { path, effect } of writes) {
    try {
      view.within(() => {
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
