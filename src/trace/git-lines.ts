import { digest } from '../../overlay/index.js'
import type { FileVersion } from '../core/file-history.js'
import { isBinary, linesOf } from './attribution.js'
import { type Births, isWeak, sameAuthor } from './births.js'
import { blockOf, keepBlockEnds } from './block-ends.js'
import { formsAt } from './layout-forms.js'
import { layoutOrigins } from './layout-lines.js'
import { printsOf, weightOf } from './line-prints.js'
import { claimsIn, type NoteClaim } from './note-claims.js'
import { adoptLines, type Cell, type Origin, WEIGHT_WITHIN } from './origins.js'
import { AMBIGUOUS, resolveStrayEnds } from './stray-ends.js'
import { OUTSIDE, UNKNOWN } from './traced-files.js'

/**
 * Follows the lines of a file through its versions in git. A version that the ledger recorded exactly has its authors
 * from there. Other lines come from the version before, or from a commit that added them. Then the records show, by
 * content, who wrote them.
 */

/** The facts of the ledger, for {@link followLines}. */
export interface Known {
  readonly births: Births
  /** The lines of a content that a record left at a path, or at any other. */
  exactly(path: string, prints: readonly string[], contentDigest: string): readonly Cell[] | undefined
  /** Whether the ledger has the records of all commits that a message names. */
  hasRecordsOf(message: string): boolean
  /** Whether the ledger has a record. */
  hasRecord(id: string): boolean
  /** When the ledger begins, in milliseconds since 1970. */
  readonly begin: number
  /** The origin of a line of the working tree, from 0, that no commit has and no record explains. */
  uncommitted(line: number): Origin
}

/** The names of agents in a commit's message: those of escrowfs, and those that agents' own programs write. */
const BY_AGENT =
  /^\s*(?:Intent|Assisted-by|Released-by-rule)\s*:|^\s*Co-authored-by\s*:.*(?:claude|copilot|codex|cursor|gemini|devin|aider|\bagent\b|\[bot\])/im

interface Version extends Pick<FileVersion, 'path' | 'parents' | 'replaced'> {
  readonly lines: readonly string[]
  readonly prints: readonly string[]
  readonly digest: string
  readonly commit?: FileVersion
}

/** The fingerprints of all versions, and of the forms their lines may have had: those that a replay must follow. */
export function printsIn(history: readonly FileVersion[]): string[] {
  const seen = new Set<string>()
  return history.flatMap(({ content }) => {
    const lines = isBinary(content) ? [] : linesOf(content)
    const fresh = lines.flatMap((line, at) => (seen.has(line) ? [] : formsAt(lines, at).prints))
    for (const line of lines) seen.add(line)
    return [...printsOf(lines), ...fresh]
  })
}

/**
 * The origin of each line of the file as it is now, by its versions in git.
 * @param history the version at HEAD first
 */
export function followLines(
  path: string,
  content: Uint8Array,
  history: readonly FileVersion[],
  known: Known,
): Origin[] {
  const parents = history.length > 0 ? [0] : []
  const top = { ...textOf(path, content), parents, replaced: [] }
  return resolveStrayEnds(top.lines, followerOf(history.map(versionIn), known)(top))
}

/**
 * The origins of the lines that commits added to a file, by commit. Lines that a parent in git has count as unknown.
 */
export function broughtLines(
  history: readonly FileVersion[],
  commits: ReadonlySet<string>,
  known: Known,
): Map<string, { readonly path: string; readonly origins: Origin[] }> {
  const versions = history.map(versionIn)
  const originsOf = followerOf(versions, known)
  const found = new Map<string, { path: string; origins: Origin[] }>()
  for (const [at, version] of versions.entries()) {
    const commit = history[at]?.commit
    if (commit === undefined || !commits.has(commit)) continue
    const origins = resolveStrayEnds(version.lines, originsOf(version))
    for (const parent of version.parents.flatMap((each) => versions[each] ?? []))
      for (const [line, from] of oldLines(parent, version).entries()) if (from.length > 0) origins[line] = UNKNOWN
    found.set(commit, { path: version.path, origins })
  }
  return found
}

function followerOf(versions: readonly Version[], known: Known): (version: Version) => Origin[] {
  const done = new Map<Version, Origin[]>()
  // A version's parents come later in the list, except where a rename was found late.
  const originsOf = (version: Version): Origin[] => {
    const found = done.get(version)
    if (found !== undefined) return found
    done.set(
      version,
      version.prints.map(() => UNKNOWN),
    )
    const parents = [...version.parents, ...version.replaced].flatMap((at) => versions[at] ?? [])
    const origins = resolve(version, known, () => parents.map((parent) => ({ parent, origins: originsOf(parent) })))
    done.set(version, origins)
    return origins
  }
  return originsOf
}

function versionIn(commit: FileVersion): Version {
  const { path, content, parents, replaced } = commit
  return { ...textOf(path, content), parents, replaced, commit }
}

function textOf(path: string, content: Uint8Array): Pick<Version, 'path' | 'lines' | 'prints' | 'digest'> {
  const lines = isBinary(content) ? [] : linesOf(content)
  return { path, lines, prints: printsOf(lines), digest: digest(content) }
}

interface Ancestor {
  readonly parent: Version
  readonly origins: readonly Origin[]
}

function resolve(version: Version, known: Known, ancestors: () => readonly Ancestor[]): Origin[] {
  const { path, prints } = version
  const recorded = known.exactly(path, prints, version.digest)?.map(({ origin }) => origin)
  const exact = recorded && withoutDoubtful(version.lines, recorded)
  if (exact !== undefined && !exact.includes(undefined)) return exact.map((origin) => origin ?? UNKNOWN)
  const origins = exact ?? new Array<Origin | undefined>(prints.length).fill(undefined)
  const parents = ancestors()
  for (const { parent, origins: before } of parents) inherit(version, parent, before, origins)
  takeMoved(prints, parents, origins)
  return introducedOrigins(version, known, origins)
}

/**
 * Leaves out the lines about which git knows more than the record: lines without a known author, and block ends that do
 * not fit their block. A record has no contents, so it cannot tell one bracket from another.
 */
function withoutDoubtful(lines: readonly string[], recorded: readonly Origin[]): (Origin | undefined)[] {
  const settled = resolveStrayEnds(lines, recorded)
  return recorded.map((origin, line) => (isWeak(origin) || settled[line] === AMBIGUOUS ? undefined : origin))
}

/** Takes over the origins of lines that a parent also has. */
function inherit(version: Version, parent: Version, before: readonly Origin[], origins: (Origin | undefined)[]): void {
  for (const [line, from] of oldLines(parent, version).entries()) {
    if (origins[line] !== undefined || from.length === 0) continue
    const authors = from.map((each) => before[each] ?? UNKNOWN)
    const [first = UNKNOWN] = authors
    origins[line] = authors.every((each) => sameAuthor(each, first)) ? first : SEVERAL
  }
}

/** The lines of a parent that each line of a version came from. */
function oldLines({ lines: old }: Version, { lines: now }: Version): (readonly number[])[] {
  return keepBlockEnds(old, now, layoutOrigins(old, now))
}

/** Takes over the origins of runs of lines that were at another place in a parent. */
function takeMoved(prints: readonly string[], parents: readonly Ancestor[], origins: (Origin | undefined)[]): void {
  if (!origins.includes(undefined)) return
  const strands = parents.map(({ parent, origins: before }) => ({
    cells: parent.prints.map((print, line) => ({ print, origin: before[line] ?? UNKNOWN })),
    least: WEIGHT_WITHIN,
  }))
  const isOpen = (line: number) => origins[line] === undefined
  for (const [line, { origin }] of adoptLines(prints, isOpen, () => strands)) origins[line] = origin
}

const SEVERAL: Origin = { contributor: 'unknown', why: 'the line was joined from lines of several authors' }

/** Finds the authors of lines that a commit, or the working tree, added. */
function introducedOrigins(version: Version, known: Known, origins: readonly (Origin | undefined)[]): Origin[] {
  const { prints, lines, commit } = version
  let rest: Origin | undefined
  // Computing it may run git, so it is computed only when a line needs it.
  const restAt = (line: number) => {
    if (commit === undefined) return known.uncommitted(line)
    rest ??= unexplainedOrigin(commit, known)
    return rest
  }
  const claims = commit === undefined ? undefined : claimsIn(commit)
  const found: Origin[] = []
  let statement: { readonly origin: Origin; readonly end: number } | undefined
  for (const [line, inherited] of origins.entries()) {
    if (inherited !== undefined) {
      found.push(inherited)
      continue
    }
    if (statement !== undefined && line < statement.end) {
      found.push(statement.origin)
      continue
    }
    const claimed = claims?.get(line) ?? []
    const born = known.births.find(prints, line)
    const { span, prints: forms } = born === undefined ? formsAt(lines, line) : { span: 1, prints: [] }
    const recorded = claimedRecord(claimed, known.births.originsOf([...prints.slice(line, line + 1), ...forms]))
    const before = recorded ?? born ?? known.births.findForm(forms)
    if (born === undefined && before !== undefined)
      statement = { origin: before === 'ambiguous' ? AMBIGUOUS : before, end: line + span }
    if (statement !== undefined && line < statement.end) found.push(statement.origin)
    else if (recorded !== undefined) found.push(recorded)
    else if (born === undefined)
      found.push(importedOrigin(claimed) ?? bracketOr(restAt(line), prints[line], found[line - 1]))
    else if (born !== 'ambiguous') found.push(born)
    else if (weightOf(prints[line] ?? '') > 0) found.push(AMBIGUOUS)
    else found.push(importedOrigin(claimed) ?? nearby(version, line, found, origins))
  }
  return found
}

/** The record that a git note names, if it is one of those that wrote such a line. Undefined if the notes do not agree. */
function claimedRecord(claims: readonly NoteClaim[], writers: readonly Origin[]): Origin | undefined {
  const claimed = writers.filter((writer) => claims.some((claim) => claim.isOf(writer)))
  const [first] = claimed
  return first !== undefined && claimed.every((each) => sameAuthor(each, first)) ? claimed.at(-1) : undefined
}

/** The claim of a git note about a line that no record wrote. */
function importedOrigin(claims: readonly NoteClaim[]): Origin | undefined {
  const origins = claims.flatMap(({ origin }) => origin ?? [])
  const [first] = origins
  return first === undefined || origins.every((each) => sameAuthor(each, first)) ? first : DISAGREEING
}

const DISAGREEING: Origin = { contributor: 'unknown', why: 'the git note of its commit names several authors' }

/** The origin of a line that no record wrote. A bracket below somebody else's line may be that author's. */
function bracketOr(origin: Origin, print: string | undefined, above: Origin | undefined): Origin {
  const isSure =
    weightOf(print ?? '') > 0 || above === undefined || sameAuthor(above, origin) || above.contributor !== 'ai'
  return isSure ? origin : AMBIGUOUS
}

/**
 * A bracket or an empty line that was added together with the line above it and its block has the author of that line.
 */
function nearby(
  { lines }: Version,
  line: number,
  found: readonly Origin[],
  inherited: readonly (Origin | undefined)[],
): Origin {
  const above = found[line - 1]
  const opener = blockOf(lines, line)
  const [first = above, isOld = false] = opener === undefined ? [] : [found[opener], inherited[opener] !== undefined]
  if (above === undefined || first === undefined || inherited[line - 1] !== undefined) return AMBIGUOUS
  return isOld || !sameAuthor(above, first) ? AMBIGUOUS : above
}

const NAMES_AGENT = 'names an agent, and this ledger has no record of it'
const LOST = 'came with a record of the file that this ledger no longer has'

/** Whether a line is unknown because the ledger lacks a record. */
export function isOfLostRecord({ why = '' }: Origin): boolean {
  return why.endsWith(NAMES_AGENT) || why.endsWith(LOST)
}

/** The origin of a line that no record explains. */
function unexplainedOrigin(commit: FileVersion, known: Known): Origin {
  const isRecorded = known.hasRecordsOf(commit.message)
  const because = (what: string): Origin => ({
    contributor: 'unknown',
    why: `git commit ${commit.commit.slice(0, 10)} ${what}`,
  })
  if (BY_AGENT.test(commit.message) && !isRecorded) return because(NAMES_AGENT)
  if (!commit.recordIds().every((each) => known.hasRecord(each))) return because(LOST)
  // Git keeps whole seconds. A commit of ours is made just before its record, which may be the first.
  return isRecorded || commit.at + 999 >= known.begin ? OUTSIDE : UNKNOWN
}
