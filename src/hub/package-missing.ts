import { codeOf } from '../../overlay/index.js'
import { HubError } from './hub-error.js'

/** The error for a package that only hubs need, and that npm does not install with escrowfs. */
export function packageMissing(name: string, error: unknown): unknown {
  const code = codeOf(error)
  if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') return error
  return new HubError('refused', `The hub needs the package ${name}. Install it where escrowfs is: npm install ${name}`)
}
