import { constants } from 'node:os'

/** Node's SystemErrors, of rm and cp, for failures without a system call. */

const WORDS = {
  ERR_FS_EISDIR: 'Path is a directory',
  ERR_FS_CP_DIR_TO_NON_DIR: 'Cannot overwrite non-directory with directory',
  ERR_FS_CP_EEXIST: 'Target already exists',
  ERR_FS_CP_EINVAL: 'Invalid src or dest',
  ERR_FS_CP_FIFO_PIPE: 'Cannot copy a FIFO pipe',
  ERR_FS_CP_NON_DIR_TO_DIR: 'Cannot overwrite directory with non-directory',
  ERR_FS_CP_SOCKET: 'Cannot copy a socket file',
  ERR_FS_CP_SYMLINK_TO_SUBDIRECTORY: 'Cannot overwrite symlink in subdirectory of self',
  ERR_FS_CP_UNKNOWN: 'Cannot copy an unknown file type',
}

export interface SystemErrorInfo {
  /** The errno code of the error. */
  readonly code: 'EEXIST' | 'EINVAL' | 'EISDIR' | 'ENOTDIR'
  readonly message: string
  readonly path: string
  readonly syscall: 'cp' | 'rm'
}

export function systemError(code: keyof typeof WORDS, fields: SystemErrorInfo): Error {
  const info = { ...fields, errno: constants.errno[fields.code] }
  const { message, path, syscall, errno } = info
  const error = new Error(`${WORDS[code]}: ${syscall} returned ${info.code} (${message}) ${path}`)
  Object.defineProperty(error, 'name', { value: 'SystemError', configurable: true, writable: true })
  return Object.assign(error, { code, info, errno, syscall, path })
}
