import { codeOf } from '../../overlay/index.js'
import { errorText } from '../core/error-text.js'

/** Whether a system error says that a disk, or the user's share of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')
}

/** The message of an error of a session's own files. Node's error for a full disk names no path. */
export function sessionErrorText(error: unknown): string {
  const text = errorText(error)
  if (!isDiskFull(error)) return text
  return `${text}. The disk of escrow's state directory is full: free space on it, then try again.`
}
