import fs from 'node:fs'
import { basename } from 'node:path'

/** The kernel's change events in some directories, including changes that were undone. */
export interface DiskWatch {
  /** The events so far. */
  events(): Promise<string[]>
  close(): void
}

const SENTINEL = '.sentinel'

export function watchDisk(dirs: readonly string[]): DiskWatch {
  const received: string[] = []
  const sentinels = new Map<string, () => void>()
  const watchers = dirs.map((dir) =>
    fs.watch(dir, { persistent: false }, (event, name) => {
      if (name === SENTINEL) sentinels.get(dir)?.()
      else received.push(`${event} ${basename(dir)}/${name}`)
    }),
  )
  return {
    /** Events arrive in order: after the sentinel's event, all earlier ones have arrived. */
    async events() {
      const arrivals = dirs.map((dir) => new Promise<void>((resolve) => sentinels.set(dir, resolve)))
      for (const dir of dirs) fs.writeFileSync(`${dir}/${SENTINEL}`, '')
      await Promise.all(arrivals)
      return received
    },
    close() {
      for (const watcher of watchers) watcher.close()
    },
  }
}
