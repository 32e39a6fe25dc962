import type { PlannedWrite } from '../core/api.js'
import { type PatchOperation, parsePatch } from './patch-parser.js'

const HEADER = /^\*\*\* (?:Add File|Update File|Delete File|Move to):(.*)$/

/**
 * Returns every path that a patch changes. For an invalid patch, returns every path that a header could name, because the host's parser
 * may be more lenient.
 */
export function patchWrites(patch: string): PlannedWrite[] {
  try {
    return parsePatch(patch).flatMap(writesOf)
  } catch {
    return patch.split(/\r?\n/).flatMap((line): PlannedWrite[] => {
      const path = HEADER.exec(line.trim())?.[1]?.trim() ?? ''
      return path === '' ? [] : [{ path, effect: 'put' }]
    })
  }
}

function writesOf(operation: PatchOperation): PlannedWrite[] {
  const { path } = operation
  if (operation.type === 'delete') return [{ path, effect: 'remove' }]
  if (operation.type === 'add' || operation.moveTo === undefined) return [{ path, effect: 'put' }]
  return [
    { path, effect: 'move' },
    { path: operation.moveTo, effect: 'put' },
  ]
}
