import fs, { type FSWatcher, type Stats } from 'node:fs'
import { onTestFinished } from 'vitest'
import { diffStage, dropRedundant, reconcileCommitted } from '../../overlay/index.js'
import type { Decide } from '../../src/core/decision.js'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

export interface Site extends BareFacade {
  readonly root: string
  /** Records the events of a directory. `all` resolves to them once every earlier change was reported. */
  watch(
    dir: string,
    options?: fs.WatchOptionsWithStringEncoding,
  ): EventRecorder & { readonly watcher: FSWatcher; all(): Promise<string[]> }
  /** Another directory, outside. */
  outside(): string
}

/** A facade over a small tree; its watchers and directories are removed after the test. */
export function site(decide?: Decide): Site {
  const { path: root, dispose } = tempDir()
  fs.mkdirSync(`${root}/dir/sub`, { recursive: true })
  for (const name of ['a', 'b', 'dir/x', 'dir/sub/y', 'probe', 'dir/probe', 'dir/sub/probe'])
    fs.writeFileSync(`${root}/${name}`, 'lower')
  const facade = createBareFacade(root, decide)
  onTestFinished(() => {
    facade.watches.closeAll()
    dispose()
  })
  return {
    ...facade,
    root,
    watch(dir, options = {}) {
      const watcher = facade.fs.watch(dir, options)
      const recorder = recordEvents(watcher)
      return {
        ...recorder,
        watcher,
        all: () => waitForEvents(recorder, (round) => fs.writeFileSync(`${dir}/probe`, round)),
      }
    },
    outside() {
      const other = tempDir()
      onTestFinished(other.dispose)
      fs.writeFileSync(`${other.path}/probe`, '')
      return other.path
    },
  }
}

/** Denies reads of the paths that `hides` accepts. */
export function hideReads(hides: (path: string, asked: string) => boolean): Decide {
  return ({ effect, path, asked }) =>
    effect === 'read' && hides(path, asked)
      ? { verdict: 'deny', denial: { reason: 'hidden', message: 'Hidden.' } }
      : { verdict: 'stage' }
}

/** Writes everything staged to the disk, and clears the stage, as a commit and its settling do. */
export function land({ overlay, fs: staged, root }: Site): void {
  const { changes } = diffStage(overlay)
  const landed = changes.map(({ path, after }) => {
    if (after === null) fs.rmSync(`${root}/${path}`)
    else {
      fs.writeFileSync(`${root}.landing`, staged.readFileSync(`${root}/${path}`), { mode: after.mode })
      fs.renameSync(`${root}.landing`, `${root}/${path}`)
    }
    return { path, after, own: true }
  })
  for (const settle of [reconcileCommitted(overlay, landed), dropRedundant(overlay)])
    overlay.apply({ op: 'settle', t: String(Date.now() * 1e6), ...settle, seq: 1, reviewed: 0 })
}

/** The events of a watcher, in order, as `event:filename`. */
export interface EventRecorder {
  readonly events: string[]
  /** Resolves at the next event with this filename. */
  next(filename: string): Promise<void>
}

export function recordEvents(watcher: FSWatcher): EventRecorder {
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
 * Returns the events once all earlier changes were reported: makes two more changes one after the other and waits for
 * each, so that events which were still being collected at the first are reported by the second.
 */
export async function waitForEvents(
  recorder: EventRecorder,
  change: (round: string) => void,
  name = 'probe',
): Promise<string[]> {
  for (const round of ['1', '2']) {
    const nextEvent = recorder.next(name)
    change(round)
    await nextEvent
  }
  return recorder.events.filter((event) => !event.endsWith(`:${name}`))
}

export type ListenerCall = readonly [current: Stats, previous: Stats]

/** A listener for `watchFile`, and its calls. */
export function recordCalls(): {
  readonly calls: ListenerCall[]
  listener(...call: ListenerCall): void
  next(): Promise<ListenerCall>
} {
  const calls: ListenerCall[] = []
  let waiting: ((call: ListenerCall) => void)[] = []
  return {
    calls,
    listener(...call) {
      calls.push(call)
      for (const resolve of waiting) resolve(call)
      waiting = []
    },
    next: () => new Promise((resolve) => waiting.push(resolve)),
  }
}
