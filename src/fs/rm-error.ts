import { systemError } from './system-error.js'

/** rm of a directory without `recursive`. */
export function eisdirOfRm(path: string): Error {
  return systemError('ERR_FS_EISDIR', { code: 'EISDIR', message: 'is a directory', path, syscall: 'rm' })
}
