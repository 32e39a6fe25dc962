import { homedir } from 'node:os'
import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'

/**
 * Returns the working directory of this process, to begin its work in.
 * @throws EscrowError `unsupported` if it was removed, or if the umask denies this user access to new files. Those in the state
 * directory would stay unreadable.
 */
export function startDirectory(): string {
  const umask = process.umask()
  if ((umask & 0o700) !== 0) {
    const octal = umask.toString(8).padStart(4, '0')
    throw new EscrowError('unsupported', `The umask ${octal} denies you access to your own new files.`, {
      hint: 'Set another one, for example: umask 022',
    })
  }
  try {
    return process.cwd()
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    throw new EscrowError('unsupported', 'The working directory was removed.', {
      hint: 'Change to a directory that exists, and try again.',
      cause: error,
    })
  }
}

/** Without `HOME` and an entry in the user database there is no home directory. It is then `/`, as shells have it. */
export function completeHome(env: NodeJS.ProcessEnv = process.env): void {
  try {
    homedir()
  } catch {
    env.HOME = '/'
  }
}
