import { codeOf } from '../../overlay/index.js'

/** Whether a system error says that a disk, or the user's share of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')
}
