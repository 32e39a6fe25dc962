import fs from 'node:fs'

/**
 * The kinds of host events: a name was added or removed (`rename`), or its content or attributes changed (`change`).
 */
export type HostEvent = 'rename' | 'change'

export interface HostWatchOptions {
  readonly recursive?: boolean
  /** Called once if the host ends the watch. */
  readonly failed: (error: unknown) => void
}

/**
 * Watches the names of a directory (or a file) on disk. Never keeps the process alive. Returns a function that ends it.
 * Throws the host's own errors, including ENOSPC and EMFILE for its limits.
 * @param onEvent called with a `name` relative to the directory, or null if the host does not know it
 */
export function watchHost(
  path: string,
  options: HostWatchOptions,
  onEvent: (event: HostEvent, name: string | null) => void,
): () => void {
  const { recursive = false, failed } = options
  const watcher = fs.watch(path, { persistent: false, recursive }, onEvent)
  watcher.on('error', failed)
  return () => watcher.close()
}
