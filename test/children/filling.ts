/**
 * Commits six files on a disk that is nearly full, once for each amount of free space, and prints each result as a line
 * of JSON: the reason of the failure, whether the tree was whole, and whether the commit succeeded once there was space
 * again. DIRECTORY FREE-KIB...
 */
import { mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync, writeSync } from 'node:fs'
import { digest } from '../../overlay/index.js'
import { type CommitEntry, commitEntries, recover } from '../../src/commit/index.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { newDraft, openLedger, parseDraft } from '../../src/trace/index.js'

const [directory = '', ...amounts] = process.argv.slice(2)
const FILES = Array.from({ length: 6 }, (_, i) => `f${i}`)
const contentOf = (word: string) => Buffer.alloc(5_000, word)

function entriesFrom(old: string, next: string): CommitEntry[] {
  const stateOf = (word: string) => ({ type: 'file', digest: digest(contentOf(word)), mode: 0o644 }) as const
  const content = () => contentOf(next)
  return FILES.map((path) => ({ path, op: 'overwrite', old: stateOf(old), new: stateOf(next), content }))
}

/** Fills the small disk except for `free` KiB. Writes nothing on a disk with more than 1 MiB to fill. */
function fillUp(path: string, free: number): void {
  const { bavail, bsize } = statfsSync(directory)
  const taken = bavail * bsize - free * 1024
  if (taken > 0 && taken < 1 << 20) writeFileSync(path, Buffer.alloc(taken))
}

async function attempt(root: string, free: number) {
  mkdirSync(`${root}/.orchestration`, { recursive: true })
  for (const path of FILES) writeFileSync(`${root}/${path}`, contentOf('old'), { mode: 0o644 })
  const layout = layoutAt(root)
  const append = async (record: Record<string, unknown>) => {
    await openLedger(layout).appendOnce(parseDraft(record))
  }
  const commit = (old: string, next: string) =>
    commitEntries({
      layout,
      sessionId: 's',
      entries: entriesFrom(old, next),
      gate: () => undefined,
      records: () => [{ ...newDraft({ type: 'commit', intent: null, session: 's' }) }],
      append,
    }).then(
      () => 'done',
      (error: unknown) => String((error as { reason?: unknown }).reason),
    )
  fillUp(`${directory}/ballast`, free)
  const outcome = await commit('old', 'new')
  rmSync(`${directory}/ballast`, { force: true })
  await recover(layout, append)
  const contents = new Set(FILES.map((path) => readFileSync(`${root}/${path}`, 'utf8')))
  const [word = ''] = [...contents].map((text) => (text === contentOf('new').toString() ? 'new' : text.slice(0, 3)))
  const isWhole = contents.size === 1 && (word === 'new' || word === 'old')
  const next = await commit(word, 'end')
  const { ok } = await openLedger(layout).verify()
  // Counts only commits: the ledger may also have a record of a repaired line.
  let commits = 0
  for await (const record of openLedger(layout).records()) {
    if (JSON.stringify(record.metadata).includes('"type":"commit"')) commits += 1
  }
  return { free, outcome, isWhole, word, next, ok, commits }
}

for (const amount of amounts) {
  // Each attempt has its own root, because the anchors of the last one would not fit a new ledger there.
  const root = `${directory}/ws-${amount}`
  writeSync(1, `${JSON.stringify(await attempt(root, Number(amount)))}\n`)
  rmSync(root, { recursive: true })
}
