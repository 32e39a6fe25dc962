import { EscrowError, type Refusal } from '../core/api-error.js'
import { defined } from '../core/defined.js'

/**
 * Adds the refused effects of a command to an error that ends its call, because the call then has no result to list
 * them.
 */
export async function namingRefused<T>(refused: readonly Refusal[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EscrowError) || refused.length === 0) throw error
    const unstaged = refused.map(({ path, reason, message }) => ({ path, reason, message }))
    const { reason, message, hint, refused: own = [] } = error
    throw new EscrowError(reason, message, { ...defined({ hint }), refused: [...own, ...unstaged], cause: error })
  }
}
