import { setImmediate } from 'node:timers/promises'
import { digest, sha256hex } from '../../overlay/index.js'
import type { BlameLine, TraceRecord } from '../core/api.js'
import type { FileVersion } from '../core/file-history.js'
import type { SharedFile } from '../core/layout.js'
import { contentHash, linesOf } from './attribution.js'
import { agentsIn, gitAiNote } from './git-ai.js'
import { broughtLines, followLines, isOfLostRecord, type Known, printsIn } from './git-lines.js'
import { GitRecords } from './git-records.js'
import { printsOf } from './line-prints.js'
import { mayContain, mayHaveChanges } from './line-words.js'
import type { Line } from './lines.js'
import { lostRecords, withLost } from './lost-records.js'
import type { Origin } from './origins.js'
import { wholeLines } from './read.js'
import { Replay } from './replay.js'
import { type Claim, OUTSIDE, UNKNOWN } from './traced-files.js'
import { linkIn, type Vouching } from './vouching.js'

const PAUSE_BYTES = 4 * 1024 * 1024
/** How many bytes are hashed to search for blocks that records name only by hash. */
const CLAIM_BYTES = 256 * 1024 * 1024

/**
 * Finds who wrote each line of a path's content. Reads only the ledger: the contents of commits are pruned after a
 * while, and another clone never had them.
 *
 * Lines are followed from record to record by their fingerprints. The rest is searched by the hashes of whole blocks,
 * which is all that records of other tools have. Where git has the file, its lines are followed through its versions.
 *
 * Records that the ledger has lost are read from git, for lines that are unknown without them.
 */
export async function blameContent(
  file: SharedFile,
  { path, content }: PathContent,
  vouching: Vouching,
  { versions, earlierLines }: GitHistory = NO_HISTORY,
): Promise<BlameLine[]> {
  const lines = linesOf(content)
  const prints = printsOf(lines)
  const { replay, known: recorded } = await replayForGit(file, [...prints, ...printsIn(versions)], vouching)
  const cells = replay.linesAt(path, prints, digest(content))
  const known = { ...recorded, uncommitted: (line: number) => cells[line]?.origin ?? UNKNOWN }
  const claims = [...replay.claimsOn(path)]
  const follow = () => followLines(path, content, versions, known)
  let origins = versions.length === 0 ? cells.map(({ origin }) => origin) : follow()
  if (origins.some(isOfLostRecord)) {
    const lost = lostRecords(await earlierLines(), known.hasRecord, vouching)
    // Records that this machine knows come first, so that a forged record cannot make a line ambiguous that a known one
    // explains.
    for (const isKnown of [true, false]) {
      const some = lost.filter(({ isAnchored }) => isAnchored === isKnown)
      for (const { record } of some) replay.apply(record, !isKnown)
      if (some.length > 0) origins = withLost(origins, follow(), some)
    }
  }
  const attributed = applyClaims(origins, lines, digest(content), claims)
  return attributed.map((origin, n) => ({ line: n + 1, ...origin }))
}

/** The versions of a file and of the ledger in git. */
interface GitHistory {
  /** The file's versions, the one at HEAD first. */
  readonly versions: readonly FileVersion[]
  /** See `LedgerOptions`. */
  readonly earlierLines: () => Promise<readonly string[]>
}

const NO_HISTORY: GitHistory = { versions: [], earlierLines: async () => [] }

/**
 * Replays a ledger for {@link followLines}. The lines of the working tree have no author.
 * @param prints of all versions that it will follow
 */
async function replayForGit(
  file: SharedFile,
  prints: Iterable<string>,
  vouching?: Vouching,
): Promise<{ replay: Replay; known: Known }> {
  const records = new GitRecords()
  const replay = await replayLedger(file, new Set(prints), vouching, (record) => records.note(record))
  const known = {
    births: replay.births,
    exactly: replay.exactly.bind(replay),
    hasRecordsOf: (message: string) => records.hasAllOf(message),
    hasRecord: (id: string) => records.has(id),
    begin: records.begin,
    uncommitted: () => UNKNOWN,
  }
  return { replay, known }
}

/**
 * Writes git notes for commits: who wrote the lines that each one added.
 * @param histories of the files that the commits changed
 * @param prefix the workspace's root below the repository's top: `''`, or a path that ends with `/`
 * @returns by commit; none for a commit that added no line of an agent or a reviewer
 */
export async function commitNotes(
  file: SharedFile,
  histories: readonly (readonly FileVersion[])[],
  commits: ReadonlySet<string>,
  prefix: string,
): Promise<ReadonlyMap<string, string>> {
  const { known } = await replayForGit(file, histories.flatMap(printsIn))
  const lines = new Map<string, Map<string, readonly Origin[]>>()
  for (const history of histories) {
    for (const [commit, { path, origins }] of broughtLines(history, commits, known)) {
      if (!origins.some(({ contributor }) => contributor !== 'unknown')) continue
      const files = lines.get(commit) ?? new Map<string, readonly Origin[]>()
      lines.set(commit, files.set(`${prefix}${path}`, origins))
    }
  }
  const agents = agentsIn(file)
  const notes = [...lines].map(([commit, files]) => [commit, gitAiNote(files, agents, commit)] as const)
  return new Map(notes.filter(([, note]) => !note.startsWith('---')))
}

/** The content of a path. */
export interface PathContent {
  readonly path: string
  readonly content: Uint8Array
}

/** Finds who wrote each line of many paths, as {@link blameContent} does without git. Reads the ledger once for all. */
export async function blameContents(
  file: SharedFile,
  contents: readonly PathContent[],
): Promise<ReadonlyMap<string, BlameLine[]>> {
  const asked = contents.map(({ path, content }) => {
    const lines = linesOf(content)
    return { path, lines, prints: printsOf(lines), whole: digest(content) }
  })
  if (asked.length === 0) return new Map()
  const replay = await replayLedger(file, new Set(asked.flatMap(({ prints }) => prints)))
  return new Map(
    asked.map(({ path, lines, prints, whole }) => {
      const origins = replay.linesAt(path, prints, whole).map(({ origin }) => origin)
      const attributed = applyClaims(origins, lines, whole, replay.claimsOn(path))
      return [path, attributed.map((origin, n) => ({ line: n + 1, ...origin }))]
    }),
  )
}

/**
 * The lines of contents that no commit brought to their paths since the ledger last recorded them. Reads the ledger
 * once for all paths.
 * @returns line numbers from 0, by path
 */
export async function outsideLines(
  file: SharedFile,
  contents: Iterable<PathContent>,
): Promise<ReadonlyMap<string, ReadonlySet<number>>> {
  const requests = Array.from(contents, ({ path, content }) => {
    return { path, prints: printsOf(linesOf(content)), digest: digest(content) }
  })
  if (requests.length === 0) return new Map()
  const replay = await replayLedger(file, new Set(requests.flatMap(({ prints }) => prints)))
  return new Map(
    requests.map(({ path, prints, digest: whole }) => {
      const cells = replay.linesAt(path, prints, whole)
      return [path, new Set(cells.flatMap(({ origin }, line) => (origin === OUTSIDE ? [line] : [])))]
    }),
  )
}

/**
 * Replays a whole ledger. Yields to the event loop in between.
 * @param vouching if given, each origin says whether an anchor of this machine vouches for its record
 */
export async function replayLedger(
  file: SharedFile,
  wanted: ReadonlySet<string>,
  vouching?: Vouching,
  note: (record: TraceRecord) => void = () => undefined,
): Promise<Replay> {
  const replay = new Replay(wanted)
  let pauseAt = PAUSE_BYTES
  for (const { line, value } of wholeLines(file, mayHaveLines)) {
    const isAnchored = vouching?.vouches(sha256hex(line.bytes), () => linkIn(value)) ?? true
    replay.apply(value, !isAnchored)
    note(value)
    if (line.end < pauseAt) continue
    pauseAt = line.end + PAUSE_BYTES
    await setImmediate()
  }
  return replay
}

/** Most records are denials, calls and verdicts. A search of their bytes saves the parse. */
function mayHaveLines({ bytes }: Line): boolean {
  return mayHaveChanges(bytes) || mayContain(bytes, 'content_hash')
}

/** Attributes blocks that nothing else explains by the content hash that a record names, the newest record first. */
function applyClaims(
  followed: readonly Origin[],
  lines: readonly string[],
  whole: string,
  claims: readonly Claim[],
): Origin[] {
  const origins = [...followed]
  const blocks = new Blocks(lines)
  for (const claim of claims.toReversed()) {
    if (!origins.includes(UNKNOWN)) break
    const starts =
      claim.lines === undefined ? wholeFile(claim, lines, whole) : blocks.find(claim.contentHash, claim.lines)
    for (const start of starts) {
      for (let line = start; line < start + (claim.lines ?? lines.length); line++) {
        if (origins[line] === UNKNOWN) origins[line] = claim.origin
      }
    }
  }
  return origins
}

function wholeFile({ contentHash: hash }: Claim, lines: readonly string[], whole: string): number[] {
  return hash === whole || hash === contentHash(lines) ? [0] : []
}

/** The positions of blocks of one length, by their hash. */
class Blocks {
  readonly #starts = new Map<number, Map<string, number[]>>()
  #budget = CLAIM_BYTES

  constructor(private readonly lines: readonly string[]) {}

  find(hash: string, length: number): readonly number[] {
    return this.#ofLength(length).get(hash) ?? []
  }

  #ofLength(length: number): Map<string, number[]> {
    const known = this.#starts.get(length)
    if (known !== undefined) return known
    const found = new Map<string, number[]>()
    for (let start = 0; start + length <= this.lines.length && this.#budget > 0; start++) {
      const block = this.lines.slice(start, start + length)
      this.#budget -= block.reduce((size, line) => size + line.length + 1, 0)
      const hash = contentHash(block)
      const starts = found.get(hash)
      if (starts === undefined) found.set(hash, [start])
      else starts.push(start)
    }
    this.#starts.set(length, found)
    return found
  }
}
