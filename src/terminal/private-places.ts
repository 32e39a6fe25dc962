/** Directories that each command in a namespace has to itself: those of the machine are hidden from it. */
export const PRIVATE_DIRS = ['/tmp', '/run', '/var/tmp']

/** The private directory that hides an absolute path from commands; undefined for other paths. */
export function hidingDirOf(path: string): string | undefined {
  return PRIVATE_DIRS.find((dir) => path === dir || path.startsWith(`${dir}/`))
}
