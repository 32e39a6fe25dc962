/** The one error of fs that is a SystemError: rm of a directory without `recursive`. */
export function eisdirOfRm(path: string): Error {
  const error = new Error(`Path is a directory: rm returned EISDIR (is a directory) ${path}`)
  error.name = 'SystemError'
  return Object.assign(error, {
    code: 'ERR_FS_EISDIR',
    info: { code: 'EISDIR', message: 'is a directory', path, syscall: 'rm', errno: 21 },
    errno: 21,
    syscall: 'rm',
    path,
  })
}
