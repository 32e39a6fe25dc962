import type { Comparison } from './renames.js'
export function isMoved(_: Comparison): boolean {
  return false
}
