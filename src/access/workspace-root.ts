import { readdirSync, realpathSync, statSync } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'

/** Resolves a directory's symbolic links. @throws EscrowError `access_denied` if it cannot be listed. */
export function physicalRoot(path: string): string {
  try {
    const root = realpathSync(path)
    if (statSync(root).isDirectory()) {
      readdirSync(root)
      return root
    }
  } catch (error) {
    const why = codeOf(error) === 'ENOENT' ? 'It does not exist' : `It cannot be read (${codeOf(error)})`
    throw new EscrowError('access_denied', `${path} cannot be opened as a workspace. ${why}.`, {
      hint: 'Give an existing directory that you can read.',
      cause: error,
    })
  }
  throw new EscrowError('access_denied', `${path} cannot be opened as a workspace. It is not a directory.`)
}
