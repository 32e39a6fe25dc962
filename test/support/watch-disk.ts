import fs from 'node:fs'
import { basename } from 'node:path'

/** Everything the kernel tells of changes to what stands in some directories, changes that were undone included. */
export interface DiskWatch {
  /** What was told up to now. */
  events(): Promise<string[]>
  close(): void
}

const SENTINEL = '.sentinel'

export function watchDisk(dirs: readonly string[]): DiskWatch {
  const told: string[] = []
  const arrived = new Map<string, () => void>()
  const watchers = dirs.map((dir) =>
    fs.watch(dir, { persistent: false }, (event, name) => {
      if (name === SENTINEL) arrived.get(dir)?.()
      else told.push(`${event} ${basename(dir)}/${name}`)
    }),
  )
  return {
    /** Events come in order: when a name of our own is told, all before it were. */
    async events() {
      const seen = dirs.map((dir) => new Promise<void>((resolve) => arrived.set(dir, resolve)))
      for (const dir of dirs) fs.writeFileSync(`${dir}/${SENTINEL}`, '')
      await Promise.all(seen)
      return told
    },
    close() {
      for (const watcher of watchers) watcher.close()
    },
  }
}
