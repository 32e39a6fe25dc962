import { lstatSync, readdirSync, type Stats } from 'node:fs'
import type { WorkspaceNews } from '../core/api.js'
import { isSessionId } from '../core/ids.js'
import type { Layout } from '../core/layout.js'
import { watchHost } from '../os/watch.js'

/** One append can cause several events. */
const DEBOUNCE_MS = 30
/** Events can be lost, and some disks (a network mount, no watches left) send none. */
const POLL_MS = 1_000

/**
 * Reports changes of stages, verdicts and questions by session, of the ledger, the intents, the policy and the known classes. It compares the
 * stats of files, so an event without a change reports nothing, and it finds a change without an event within a second. The
 * watch never keeps the process alive.
 * @returns a function that ends the watch
 */
export function watchWorkspace(layout: Layout, onChange: (news: WorkspaceNews) => void): () => void {
  let before = stampsOf(layout)
  let pending: NodeJS.Timeout | undefined
  const watches = new Map<string, () => void>()
  const compare = () => {
    pending = undefined
    const now = stampsOf(layout)
    const news = changesOf(before, now)
    before = now
    updateWatches()
    if (news !== undefined) onChange(news)
  }
  const scheduleCompare = () => {
    pending ??= setTimeout(compare, DEBOUNCE_MS).unref()
  }
  const updateWatches = () => {
    const wanted = new Set([
      layout.dir,
      layout.state,
      layout.sessions,
      ...[...before.sessions.keys()].map((id) => layout.session(id).dir),
    ])
    for (const [path, end] of watches) if (!wanted.has(path)) stopWatch(watches, path, end)
    for (const path of wanted) if (!watches.has(path)) startWatch(watches, path, scheduleCompare)
  }
  updateWatches()
  const polling = setInterval(compare, POLL_MS).unref()
  return () => {
    clearInterval(polling)
    clearTimeout(pending)
    for (const [path, end] of watches) stopWatch(watches, path, end)
  }
}

function startWatch(watches: Map<string, () => void>, path: string, scheduleCompare: () => void): void {
  try {
    const onFailure = () => stopWatch(watches, path, end)
    const end = watchHost(path, { failed: onFailure }, scheduleCompare)
    watches.set(path, end)
  } catch {
    // The path is missing, or no watches are left: polling finds the change.
  }
}

function stopWatch(watches: Map<string, () => void>, path: string, end: () => void): void {
  watches.delete(path)
  end()
}

/** The stamps of the watched files. */
interface Stamps {
  readonly sessions: ReadonlyMap<string, string>
  readonly ledger: string
  readonly intents: string
  readonly policy: string
  readonly classes: string
}

function stampsOf(layout: Layout): Stamps {
  const sessions = namesIn(layout.sessions).filter(isSessionId)
  return {
    sessions: new Map(
      sessions.map((id) => {
        const { stageLog, review, meta, owner, quarantine } = layout.session(id)
        return [id, stampOf(stageLog, review, meta, owner, quarantine)]
      }),
    ),
    ledger: stampOf(`${layout.ledgerFile}`, layout.commits),
    intents: stampOf(`${layout.intentsFile}`, layout.trustFile),
    policy: stampOf(`${layout.policyFile}`, layout.trustFile),
    classes: stampOf(layout.classes),
  }
}

function changesOf(before: Stamps, now: Stamps): WorkspaceNews | undefined {
  const ids = [...new Set([...before.sessions.keys(), ...now.sessions.keys()])]
  const news = {
    sessions: ids.filter((id) => before.sessions.get(id) !== now.sessions.get(id)).sort(),
    ledger: before.ledger !== now.ledger,
    intents: before.intents !== now.intents,
    policy: before.policy !== now.policy,
    classes: before.classes !== now.classes,
  }
  const { sessions, ledger, intents, policy, classes } = news
  return sessions.length > 0 || ledger || intents || policy || classes ? news : undefined
}

function stampOf(...paths: readonly string[]): string {
  return paths.map((path) => stampOfStats(statsOf(path))).join(' ')
}

function stampOfStats(stats: Stats | undefined): string {
  return stats === undefined ? '-' : [stats.ino, stats.size, stats.mtimeMs, stats.ctimeMs].join(':')
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}
