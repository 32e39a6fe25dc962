import fs from 'node:fs'

/** What the host says of a name: it came or went (`rename`), or its content or attributes moved (`change`). */
export type HostEvent = 'rename' | 'change'

export interface HostWatchOptions {
  readonly recursive?: boolean
  /** Told once when the host stops watching of itself. */
  readonly failed: (error: unknown) => void
}

/**
 * Watches a directory's names (or a file) on disk. It never keeps the process alive. Returns what ends it.
 * Throws the host's own errors, ENOSPC and EMFILE for its limits among them.
 * @param told `name` is relative to the directory, null where the host does not know it.
 */
export function watchHost(
  path: string,
  options: HostWatchOptions,
  told: (event: HostEvent, name: string | null) => void,
): () => void {
  const { recursive = false, failed } = options
  const watcher = fs.watch(path, { persistent: false, recursive }, told)
  watcher.on('error', failed)
  return () => watcher.close()
}
