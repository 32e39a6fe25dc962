import type { FSWatcher, Stats } from 'node:fs'

/** What a watcher told, in order, as `event:filename`. */
export interface Told {
  readonly events: string[]
  /** When a further event of this name (a filename) was told. */
  next(filename: string): Promise<void>
}

export function recorded(watcher: FSWatcher): Told {
  const events: string[] = []
  const waiting: { readonly filename: string; readonly resolve: () => void }[] = []
  watcher.on('change', (event, filename) => {
    events.push(`${event}:${filename}`)
    for (const each of waiting.splice(0)) {
      if (each.filename === String(filename)) each.resolve()
      else waiting.push(each)
    }
  })
  return { events, next: (filename) => new Promise((resolve) => waiting.push({ filename, resolve })) }
}

/**
 * What was told once everything before has been: two further changes are made and waited for, one after the other, so
 * that whatever was still gathered when the first was told has been told by the second.
 */
export async function settled(told: Told, change: (round: string) => void, name = 'probe'): Promise<string[]> {
  for (const round of ['1', '2']) {
    const heard = told.next(name)
    change(round)
    await heard
  }
  return told.events.filter((event) => !event.endsWith(`:${name}`))
}

export type Look = readonly [current: Stats, previous: Stats]

/** A listener for `watchFile`, and what it was told. */
export function looks(): { readonly all: Look[]; listener(...look: Look): void; next(): Promise<Look> } {
  const all: Look[] = []
  let waiting: ((look: Look) => void)[] = []
  return {
    all,
    listener(...look) {
      all.push(look)
      for (const resolve of waiting) resolve(look)
      waiting = []
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  }
}
