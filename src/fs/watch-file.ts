import { EventEmitter } from 'node:events'
import type { BigIntStats, Stats } from 'node:fs'
import { resolve } from 'node:path'
import { absentStats, type FileState, mergedState, pathText, sameState } from '../../overlay/index.js'
import { invalidType, readInteger } from './args.js'
import { stat } from './kernel-read.js'
import type { Args } from './op-types.js'
import type { WatchView } from './view.js'
import type { Poll } from './watches.js'

/** Node's own interval, in milliseconds. */
const INTERVAL_MS = 5007

/** `fs.watchFile`: polls a path of the merged view. An absent path is not an error. */
export function watchFile(view: WatchView, [path, given, last]: Args): Poll {
  const text = pathText(path)
  const name = resolve(view.root, text)
  const isOptions = typeof given === 'object' && given !== null
  const listener = isOptions ? last : given
  const options = { interval: INTERVAL_MS, persistent: true, bigint: false, ...(isOptions ? given : undefined) }
  if (typeof listener !== 'function') throw invalidType('listener', 'of type function', listener)
  const interval = readInteger('interval', options.interval, 0, 2 ** 32 - 1)
  const { polls } = view.watches
  let poll = polls.get(name)
  if (!poll) {
    const bigint = options.bigint === true
    poll = new StatWatcher({ look: looker(view, text, bigint), bigint, interval, stopped: () => polls.delete(name) })
    if (!options.persistent) poll.unref()
    polls.set(name, poll)
  }
  return poll.on('change', listener as Listener)
}

/** `fs.unwatchFile`: removes a listener, or all of them. Does nothing for a path that is not watched. */
export function unwatchFile(view: WatchView, [path, listener]: Args): void {
  const poll = view.watches.polls.get(resolve(view.root, pathText(path)))
  if (!poll) return
  if (typeof listener === 'function') poll.off('change', listener as Listener)
  else poll.removeAllListeners('change')
  if (poll.listenerCount('change') === 0) poll.stop()
}

type Listener = (current: Stats | BigIntStats, previous: Stats | BigIntStats) => void

/** The result of one poll. */
interface Snapshot {
  readonly stats: Stats | BigIntStats | undefined
  /** Equal marks mean no change. */
  readonly mark: string
  /** The state of a path that is, or was at the last poll, staged: a commit changes only times. */
  readonly state: FileState | null | undefined
  readonly staged: boolean
}

type Looker = (before?: Snapshot) => Snapshot

function looker(view: WatchView, text: string, bigint: boolean): Looker {
  const { overlay } = view.watches
  const snapshot = (before?: Snapshot): Snapshot => {
    try {
      const exact = stat(view, [text, { bigint: true }], 'sync') as BigIntStats
      const mark = markOf(exact)
      if (mark === before?.mark) return before
      const place = view.at(text, 'follow')
      const staged = place.inside && overlay.placeOf(place.path).node?.inode !== undefined
      const state = place.inside && (staged || before?.staged) ? mergedState(overlay, place.path) : undefined
      return { stats: bigint ? exact : stat(view, [text], 'sync'), mark, state, staged }
    } catch {
      return { stats: undefined, mark: '', state: undefined, staged: false }
    }
  }
  return (before) => view.within(() => snapshot(before))
}

function markOf(stats: BigIntStats): string {
  const { mtimeNs, ctimeNs, birthtimeNs, size, mode, uid, gid, ino, dev } = stats
  return [mtimeNs, ctimeNs, birthtimeNs, size, mode, uid, gid, ino, dev].join(' ')
}

interface PollOptions {
  readonly look: Looker
  readonly bigint: boolean
  /** In milliseconds. */
  readonly interval: number
  readonly stopped: () => void
}

/** The result of `fs.watchFile`: Node's StatWatcher in everything but the class. */
class StatWatcher extends EventEmitter {
  readonly #timer: NodeJS.Timeout
  #seen: Snapshot
  #stopped = false
  /** The last stats of the existing file: the previous ones both when it is removed and when it returns. */
  #last: Stats | BigIntStats | undefined

  constructor(private readonly options: PollOptions) {
    super()
    this.#seen = options.look()
    this.#last = this.#seen.stats
    this.#timer = setInterval(() => this.#poll(), options.interval)
    // For an absent path Node calls the listener once at the start.
    if (!this.#seen.stats) setImmediate(() => this.#seen.stats ?? this.#report())
  }

  stop(): void {
    if (this.#stopped) return
    this.#stopped = true
    clearInterval(this.#timer)
    this.options.stopped()
    process.nextTick(() => this.emit('stop'))
  }

  ref(): this {
    this.#timer.ref()
    return this
  }

  unref(): this {
    this.#timer.unref()
    return this
  }

  #poll(): void {
    const before = this.#seen
    const now = this.options.look(before)
    this.#seen = now
    if (now.mark === before.mark) return
    if (before.staged && !now.staged && now.state && before.state && sameState(now.state, before.state)) {
      this.#last = now.stats
      return
    }
    this.#report()
  }

  #report(): void {
    const absent = absentStats(this.options.bigint)
    this.emit('change', this.#seen.stats ?? absent, this.#last ?? absent)
    this.#last = this.#seen.stats ?? this.#last
  }
}
