import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { BlameLine, Ledger, VerifyResult, Workspace } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { LEDGER, ORCHESTRATION, type SharedFile } from '../core/layout.js'
import { withStateHome } from '../os/state-dir.js'
import { withTempDir } from '../os/temporary.js'
import { layoutAt } from '../os/workspace-state.js'
import { createFile, ensureDir } from '../os/write.js'
import { Accepted, blameContents, isCovered, linesBehind, type PathContent } from '../trace/index.js'
import { type Approvals, readApprovals } from './approvals.js'
import type { ChangedFile } from './changed-files.js'
import { PullRequest } from './git-objects.js'

const KEY = /^[\w.-]+\.pub\.pem$/

/** The authors and approvers of a file's changed lines. */
export interface FileReport {
  readonly path: string
  /** The number of changed lines. */
  readonly lines: number
  /** How many of them an agent wrote. */
  readonly agent: number
  readonly models: ReadonlySet<string>
  readonly intents: ReadonlySet<string>
  /** The names of people, and of rules as `rule TIER`. */
  readonly approvers: ReadonlySet<string>
  /** The numbers of lines that an agent wrote and nothing shows to be approved. */
  readonly unapproved: readonly number[]
}

/** The result of a check. The check has passed if there are no problems and no unapproved lines. */
export interface PullRequestReport {
  /** The problems of the ledger. */
  readonly problems: readonly string[]
  /** The parts that were not checked. */
  readonly notes: readonly string[]
  readonly files: readonly FileReport[]
  /** The number of records in the ledger. */
  readonly records: number
  /** The number of checkpoints with a valid signature. */
  readonly signed: number
}

export interface PullRequestOptions {
  /** A directory of the repository. */
  readonly cwd: string
  /** The target branch or commit. */
  readonly base: string
  /** The last commit of the pull request. */
  readonly head: string
  /** The directory with `.orchestration`, from the top of the repository. */
  readonly workspace: string
  /** A directory of the target branch with public keys: each new commit of the ledger must be signed by one of them. */
  readonly keys?: string | undefined
  /** Whether each commit that changes the ledger must have a `Trace-Head:` trailer, or a later commit one that covers it. */
  readonly requireTrailers: boolean
  /** Opens the ledger in a temporary directory. The public function; the command line loads it for all its commands. */
  readonly openWorkspace: (root: string) => Promise<Workspace>
}

/**
 * Checks a pull request against its ledger. It reads only git objects, into a temporary directory, and ignores the checkout and
 * what this machine knows.
 * @throws EscrowError `unsupported` if git does not know the commits, or the base has no keys
 */
export async function checkPullRequest(options: PullRequestOptions): Promise<PullRequestReport> {
  const request = new PullRequest(options.cwd, options.base, options.head)
  const prefix = prefixOf(options.workspace)
  return withTempDir(join(tmpdir(), 'escrow-ci-'), (home) =>
    withStateHome(join(home, 'state'), () => check(request, options, prefix, home)),
  )
}

async function check(
  request: PullRequest,
  { requireTrailers, keys, openWorkspace }: PullRequestOptions,
  prefix: string,
  home: string,
): Promise<PullRequestReport> {
  const root = join(home, 'workspace')
  const ledger = request.file(request.head, prefix + LEDGER)
  const changed = request.changed(prefix)
  const heads = expectedHeads(request, prefix + LEDGER)
  const reportMissing = (missing: readonly string[]) => ({
    problems: requireTrailers ? missing.map(withAdvice) : [],
    notes: requireTrailers ? [] : missing.map(asNote),
    files: [],
    records: 0,
    signed: 0,
  })
  if (ledger === undefined) {
    const empty = reportMissing(withoutTrailer(request, prefix + LEDGER))
    const files = changed.map(({ path, added }) => reportOf(path, added, []))
    const wasThere = request.file(request.base, prefix + LEDGER) !== undefined
    const gone = wasThere
      ? 'The ledger is gone.'
      : `The ledger is not in the pull request, but a commit names its records. Add ${prefix + LEDGER} to a commit.`
    if (heads.length > 0) return { ...empty, problems: [...empty.problems, gone], files }
    const note = `There is no ledger at ${prefix + LEDGER}: every line counts as a person’s.`
    return { ...empty, notes: [...empty.notes, note], files }
  }
  write(join(root, LEDGER), ledger)
  const isShort = heads.some((head) => numberOf(head) > numberOf(request.lastHead(request.head, prefix + LEDGER)))
  const advice = isShort ? ` If nobody cut it, its end is in no git commit yet: add ${prefix + LEDGER} to one.` : ''
  if (keys !== undefined) copyKeys(request, keys, join(home, 'state'))
  const workspace = await openWorkspace(root)
  try {
    const chain = await verifyChain(workspace.ledger, heads)
    const damage = chain.problems.map((each) => each + advice)
    const isWhole = damage.length === 0
    const { problems, notes, ...empty } = reportMissing(
      isWhole ? withoutTrailer(request, prefix + LEDGER, layoutAt(root).ledgerFile) : [],
    )
    const acceptedLedger = () => new Accepted(request.file(request.base, prefix + LEDGER) ?? Buffer.alloc(0))
    const isSigned = keys === undefined || !isWhole || isCovered(layoutAt(root).ledgerFile, acceptedLedger())
    const unsigned = isSigned ? [] : ['Not every new commit of the ledger is signed by a key of the target branch.']
    const whole = { ...empty, ...chain, notes, problems: [...problems, ...damage, ...unsigned] }
    if (whole.problems.length > 0) return whole
    const approvals = await readApprovals(workspace.ledger)
    const read = changed.map((each) => textOf(each, prefix))
    const texts = read.filter((each) => typeof each === 'object')
    const blamed = await blameContents(layoutAt(root).ledgerFile, texts)
    const files = texts.map(({ file, path }) => reportOf(file.path, file.added, blamed.get(path) ?? [], approvals))
    return { ...whole, notes: [...notes, ...read.filter((each) => typeof each === 'string')], files }
  } finally {
    await workspace.close()
  }
}

/** The prefix of paths in a directory of the repository. */
function prefixOf(workspace: string): string {
  const parts = workspace.split('/').filter((part) => part !== '' && part !== '.')
  return parts.map((part) => `${part}/`).join('')
}

function write(path: string, content: Uint8Array): void {
  ensureDir(dirname(path))
  createFile(path, content, 0o600, false)
}

/** The heads that the ledger must have: those of the bases, and those of the commits' trailers. */
function expectedHeads(request: PullRequest, ledger: string): string[] {
  const bases = request.bases.flatMap((base) => request.lastHead(base, ledger) ?? [])
  return [...bases, ...[...request.trailers().values()].flat()]
}

/**
 * The commits whose records no trailer covers, as sentences.
 * @param last the verified ledger of the last commit; undefined if there is none
 */
function withoutTrailer(request: PullRequest, ledger: string, last?: SharedFile): string[] {
  const trailers = request.trailers()
  const bare = request.ledgerCommits(ledger).filter(({ commit, head }) => {
    return head !== undefined && trailers.get(commit)?.includes(head) !== true
  })
  if (bare.length === 0) return []
  const all = new Set(linesIn(request.file(request.head, ledger)))
  const shown = new Set(request.bases.flatMap((base) => linesIn(request.file(base, ledger))))
  const hashes = new Set([...trailers.values()].flat().map((head) => head.slice(head.indexOf(':') + 1)))
  const behind = last === undefined ? new Set() : linesBehind(last, hashes)
  for (const line of all) if (behind.has(createHash('sha256').update(line, 'latin1').digest('hex'))) shown.add(line)
  return bare.flatMap(({ commit, isMerge }) => {
    // A trailer covers one branch of an unjoined ledger, and a merge may drop the other: the last ledger must have all lines, too.
    const isShown = (line: string) => all.has(line) && (isMerge || shown.has(line))
    if (linesIn(request.file(commit, ledger)).every(isShown)) return []
    return [`Commit ${commit.slice(0, 12)} changes the ledger and has no \`Trace-Head:\` trailer of its head.`]
  })
}

function linesIn(ledger: Buffer = Buffer.alloc(0)): string[] {
  return ledger
    .toString('latin1')
    .split('\n')
    .filter((line) => line !== '')
}

/** The number of the record that a head names, as `<seq>:<hash>`. */
function numberOf(head = '0'): number {
  return Number.parseInt(head, 10)
}

function withAdvice(missing: string): string {
  return `${missing} Add a commit with the trailer: git commit --allow-empty -m 'Add the trailer' --trailer "$(escrow trailer)"`
}

function asNote(missing: string): string {
  return `${missing} Nothing shows that records behind the last trailer were not cut.`
}

/** Copies the keys that the target branch has now: the pull request cannot add one, and a removed one does not count. */
function copyKeys(request: PullRequest, directory: string, stateHome: string): void {
  const { target } = request
  const names = request.list(target, directory).filter((path) => KEY.test(basename(path)))
  if (names.length === 0) throw new EscrowError('unsupported', `The target branch has no NAME.pub.pem in ${directory}.`)
  for (const path of names)
    write(join(stateHome, 'escrowfs', 'keys', basename(path)), request.file(target, path) ?? Buffer.alloc(0))
}

type Chain = Pick<PullRequestReport, 'problems' | 'records' | 'signed'>

async function verifyChain(ledger: Ledger, heads: readonly string[]): Promise<Chain> {
  const damagedResult = (error: unknown): VerifyResult => ({
    ok: false,
    records: 0,
    firstBad: { line: 0, reason: errorText(error) },
  })
  const found = await ledger.verify({ heads }).catch(damagedResult)
  const { records, signed = 0, firstBad } = found
  const problem = `The ledger is damaged from line ${firstBad?.line ?? 0} on: ${firstBad?.reason ?? 'unknown'}`
  return { problems: found.ok ? [] : [problem], records, signed }
}

interface ChangedText extends PathContent {
  readonly file: ChangedFile
}

/** The text of a changed file. Returns why it cannot be checked, or undefined if nothing of it is to be checked. */
function textOf(file: ChangedFile, prefix: string): ChangedText | string | undefined {
  const { path, added, content, unread } = file
  const name = path.slice(prefix.length)
  // Some file systems ignore case.
  if (name.toLowerCase().startsWith(`${ORCHESTRATION}/`)) return undefined
  if (content === undefined) return `${path} ${unread}, and was not checked.`
  return added.length === 0 ? undefined : { file, path: name, content }
}

function reportOf(
  path: string,
  added: readonly number[],
  blamed: readonly BlameLine[],
  { commits, tiers }: Approvals = { commits: new Set(), tiers: new Map() },
): FileReport {
  const lines = added.flatMap((number) => blamed[number - 1] ?? []).filter(({ contributor }) => contributor === 'ai')
  const isApproved = ({ approvedBy, recordId = '' }: BlameLine) => approvedBy !== undefined && commits.has(recordId)
  const rules = lines.flatMap(({ recordId = '' }) => [...(tiers.get(recordId) ?? [])].map((tier) => `rule ${tier}`))
  return {
    path,
    lines: added.length,
    agent: lines.length,
    models: new Set(lines.map(({ model }) => model ?? 'an agent')),
    intents: new Set(lines.flatMap(({ intentId }) => intentId ?? [])),
    approvers: new Set([...lines.filter(isApproved).flatMap(({ approvedBy }) => approvedBy ?? []), ...rules]),
    unapproved: lines.filter((line) => !isApproved(line)).map(({ line }) => line),
  }
}
