import { lstatSync, readdirSync, type Stats } from 'node:fs'
import type { WorkspaceNews } from '../core/api.js'
import { isSessionId } from '../core/ids.js'
import type { Layout } from '../core/layout.js'
import { watchHost } from '../host/watch.js'

/** One append can be several events. */
const GATHER_MS = 30
/** The host's events may be lost, or not be had at all (a network's disk, no watches left). */
const LOOK_MS = 1_000

/**
 * Tells when what a person looks at has moved: stages, verdicts and questions by session, the ledger, intents, policy.
 * Files are compared, so an event that changed nothing tells nothing, and a lost one is made good within a second. It never
 * keeps the process alive. Returns what ends it.
 */
export function watchWorkspace(layout: Layout, told: (news: WorkspaceNews) => void): () => void {
  let before = lookAt(layout)
  let gathering: NodeJS.Timeout | undefined
  const watches = new Map<string, () => void>()
  const compare = () => {
    gathering = undefined
    const now = lookAt(layout)
    const news = changesOf(before, now)
    before = now
    keepWatching()
    if (news !== undefined) told(news)
  }
  const soon = () => {
    gathering ??= setTimeout(compare, GATHER_MS).unref()
  }
  const keepWatching = () => {
    const wanted = new Set([
      layout.dir,
      layout.state,
      layout.sessions,
      ...[...before.sessions.keys()].map((id) => layout.session(id).dir),
    ])
    for (const [path, end] of watches) if (!wanted.has(path)) stop(watches, path, end)
    for (const path of wanted) if (!watches.has(path)) start(watches, path, soon)
  }
  keepWatching()
  const looking = setInterval(compare, LOOK_MS).unref()
  return () => {
    clearInterval(looking)
    clearTimeout(gathering)
    for (const [path, end] of watches) stop(watches, path, end)
  }
}

function start(watches: Map<string, () => void>, path: string, soon: () => void): void {
  try {
    const onFailure = () => stop(watches, path, end)
    const end = watchHost(path, { failed: onFailure }, soon)
    watches.set(path, end)
  } catch {
    // Not there, or no watches left: the regular look tells.
  }
}

function stop(watches: Map<string, () => void>, path: string, end: () => void): void {
  watches.delete(path)
  end()
}

/** What the files were at one moment, each as a word that differs when it does. */
interface Look {
  readonly sessions: ReadonlyMap<string, string>
  readonly ledger: string
  readonly intents: string
  readonly policy: string
}

function lookAt(layout: Layout): Look {
  const sessions = namesIn(layout.sessions).filter(isSessionId)
  return {
    sessions: new Map(
      sessions.map((id) => {
        const { stageLog, review, meta, owner, quarantine } = layout.session(id)
        return [id, wordOf(stageLog, review, meta, owner, quarantine)]
      }),
    ),
    ledger: wordOf(`${layout.ledgerFile}`, layout.commits),
    intents: wordOf(`${layout.intentsFile}`, layout.trustFile),
    policy: wordOf(`${layout.policyFile}`, layout.trustFile),
  }
}

function changesOf(before: Look, now: Look): WorkspaceNews | undefined {
  const ids = [...new Set([...before.sessions.keys(), ...now.sessions.keys()])]
  const news = {
    sessions: ids.filter((id) => before.sessions.get(id) !== now.sessions.get(id)).sort(),
    ledger: before.ledger !== now.ledger,
    intents: before.intents !== now.intents,
    policy: before.policy !== now.policy,
  }
  return news.sessions.length > 0 || news.ledger || news.intents || news.policy ? news : undefined
}

function wordOf(...paths: readonly string[]): string {
  return paths.map((path) => wordOfStats(statsOf(path))).join(' ')
}

function wordOfStats(stats: Stats | undefined): string {
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
