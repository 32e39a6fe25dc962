import { basename, join } from 'node:path'
import { Errno, type Inside, isWithin, type Outside, pathText, type RelPath } from '../../overlay/index.js'
import { watchHost } from '../os/watch.js'
import { encodeName, invalidType } from './args.js'
import type { Args, Form } from './op-types.js'
import type { WatchView } from './view.js'
import { readWatchOptions, type WatchOptions } from './watch-options.js'
import { Watcher } from './watcher.js'

/**
 * `fs.watch` over the merged view. Throws ENOENT for a path that shows nothing, and the host's errors for its limits.
 * Reports nothing about unreadable paths, neither their names nor their changes.
 */
export function watch(view: WatchView, [path, given, last]: Args, form: Form): Watcher {
  const listener = typeof given === 'function' ? given : last
  const options = readWatchOptions(given, form)
  if (listener && typeof listener !== 'function') throw invalidType('listener', 'of type function', listener)
  const text = pathText(path)
  const place = view.at(text, 'follow')
  const watcher = new Watcher(options.persistent)
  try {
    const stop = place.inside
      ? watchInside(view, place, text, options, watcher)
      : watchOutside(view, place, text, options, watcher)
    watcher.startWith(view.watches.add(watcher, stop))
  } catch (error) {
    watcher.close()
    throw error
  }
  if (typeof listener === 'function') watcher.on('change', (event, filename) => listener(event, filename))
  if (form !== 'promise') closeOn(options.signal, watcher)
  return watcher
}

function watchInside(view: WatchView, place: Inside, text: string, options: WatchOptions, watcher: Watcher) {
  view.layer.judge('read', place.path)
  if (place.type === undefined) throw new Errno('ENOENT')
  const reach = place.type !== 'dir' ? 'entry' : options.recursive ? 'tree' : 'children'
  const displayPath = (path: RelPath) => place.asked + path.slice(place.path.length + (place.asked === '' ? 1 : 0))
  const mayRead = (path: RelPath) => view.mayRead(path, path === place.path ? place.asked : displayPath(path))
  return view.watches.feed.subscribe({
    path: place.path,
    reach,
    mayEnter: mayRead,
    onChange(event, path) {
      if (!mayRead(path)) return
      const below = path.slice(place.path === '' ? 0 : place.path.length + 1)
      report(watcher, options, event, path === place.path ? basename(text) : below)
    },
    onFailure: (error) => watcher.fail(error),
  })
}

/** Outside the workspace nothing is staged: this is the host's own watch without unreadable paths. */
function watchOutside(view: WatchView, place: Outside, text: string, options: WatchOptions, watcher: Watcher) {
  const isDir = view.host(place).statSync(place.path).isDirectory()
  const recursive = isDir && options.recursive
  const failed = (error: unknown) => watcher.fail(error)
  return watchHost(place.path, { recursive, failed }, (event, name) => {
    const path = isDir && name !== null ? join(place.path, name) : place.path
    // Not for paths in the workspace: the host's watch would report the disk's names, not the merged view's.
    if (isWithin(path, view.root) || !view.mayRead(path, path)) return
    report(watcher, options, event, name ?? basename(text))
  })
}

function report(watcher: Watcher, options: WatchOptions, event: string, filename: string): void {
  if (!options.ignores(filename)) watcher.report(event, encodeName(filename, options.encoding))
}

function closeOn(signal: AbortSignal | undefined, watcher: Watcher): void {
  if (!signal) return
  const close = () => watcher.close()
  if (signal.aborted) process.nextTick(close)
  else {
    signal.addEventListener('abort', close)
    watcher.once('close', () => signal.removeEventListener('abort', close))
  }
}
