/** What a person can do about a system error, by its code. */
export const ERRNO_ADVICE = {
  EROFS:
    'The disk is read-only. Mount it for writing, or use a copy of the project on another disk. For the state directory, you can also set XDG_STATE_HOME.',
  ENOSPC: 'The disk is full. Free space on it, then try again.',
  EDQUOT: 'Your quota of this disk is used up. Free space on it, then try again.',
  EACCES: 'Give yourself access to it with chmod or chown, then try again.',
  EFBIG: "The file would be longer than this process may write. Raise the limit with 'ulimit -f', then try again.",
  EMFILE: "Too many files are open. Raise the limit with 'ulimit -n', then try again.",
  EAGAIN:
    "Too many processes run. End some, or raise the limit ('ulimit -u', or pids.max of the cgroup), then try again.",
  ENOMEM: 'Memory is used up. End other programs, or raise the limit on memory, then try again.',
} as const

/** What a person can do about an error of the system; undefined if that depends on more than its code. */
export function adviceFor(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'string') return undefined
  const { code } = error
  // A read or a write gets it from a stream that is not ready.
  if (code === 'EAGAIN' && !('syscall' in error && String(error.syscall).startsWith('spawn'))) return undefined
  return Object.entries(ERRNO_ADVICE).find(([each]) => each === code)?.[1]
}

/** Adds the path to a system error that names none, such as one of a write. Returns the error. */
export function namePath(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || 'path' in error) return error
  return Object.assign(error, { path, message: `${error.message} '${path}'` })
}
