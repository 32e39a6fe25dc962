import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { openWorkspace } from 'escrowfs'
import { lines, prefixOf, pullRequest } from './pull-request.mjs'

const LEDGER = '.orchestration/agent_trace.jsonl'
const KEY = /^[\w.-]+\.pub\.pem$/

/**
 * @typedef {{ path: string, lines: number, agent: number, models: Set<string>, intents: Set<string>, approvers: Set<string> }} FileReport
 * @typedef {{ problems: string[], notes: string[], files: FileReport[], records: number, signed: number }} Report
 */

/**
 * Checks a pull request. It reads only git objects, into a temporary directory, and ignores the checkout.
 * @param {{ cwd: string, base: string, head: string, workspace: string, keys?: string | undefined, requireTrailers: boolean }} options
 * @returns {Promise<Report>}
 */
export async function checkLedger(options) {
  const request = pullRequest(options)
  const prefix = prefixOf(options.workspace)
  const home = mkdtempSync(join(tmpdir(), 'escrow-check-'))
  const { XDG_STATE_HOME: savedHome } = process.env
  /** @type {Report} */
  const report = { problems: [], notes: [], files: [], records: 0, signed: 0 }
  try {
    const root = join(home, 'workspace')
    mkdirSync(join(root, dirname(LEDGER)), { recursive: true })
    const ledger = request.file(request.head, prefix + LEDGER)
    if (ledger !== undefined) writeFileSync(join(root, LEDGER), ledger)
    const changed = request.changed().filter(({ path }) => path.startsWith(prefix))
    const heads = expectedHeads(request, prefix + LEDGER, options.requireTrailers, report)
    if (ledger === undefined) {
      if (heads.length > 0) report.problems.push('The ledger is gone.')
      else report.notes.push(`There is no ledger at ${prefix + LEDGER}: every line counts as a person’s.`)
      return { ...report, files: changed.map(({ path, added }) => emptyReport(path, added.length)) }
    }
    if (options.keys !== undefined) copyKeys(request, options.keys, home)
    // The anchors and keys of this machine are irrelevant for the pull request.
    process.env.XDG_STATE_HOME = join(home, 'state')
    const workspace = await openWorkspace(root)
    try {
      await verifyChain(workspace, heads, options.keys !== undefined, report)
      if (report.problems.length > 0) return report
      await checkFiles(workspace, request, changed, prefix, report)
      return report
    } finally {
      await workspace.close()
    }
  } finally {
    if (savedHome === undefined) delete process.env.XDG_STATE_HOME
    else process.env.XDG_STATE_HOME = savedHome
    rmSync(home, { recursive: true, force: true })
  }
}

/**
 * @param {import('escrowfs').Workspace} workspace @param {ReturnType<typeof pullRequest>} request
 * @param {readonly { path: string, added: number[] }[]} changed @param {string} prefix @param {Report} report
 */
async function checkFiles(workspace, request, changed, prefix, report) {
  const approved = await approvedRecords(workspace)
  for (const { path, added } of changed) {
    const name = path.slice(prefix.length)
    // Some file systems ignore case.
    if (name.toLowerCase().startsWith('.orchestration/')) continue
    const content = request.file(request.head, path)
    const kind = content === undefined ? 'no regular file' : content.includes(0) ? 'binary' : undefined
    if (kind !== undefined) report.notes.push(`${path} is ${kind}, and was not looked at.`)
    if (content === undefined || kind !== undefined || added.length === 0) continue
    const place = join(workspace.root, name)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, content)
    report.files.push(checkFile(path, added, await workspace.ledger.blame(name), approved, report))
  }
}

/** @param {string} path @param {number} count @returns {FileReport} */
function emptyReport(path, count) {
  return { path, lines: count, agent: 0, models: new Set(), intents: new Set(), approvers: new Set() }
}

/**
 * The heads that the ledger must have: the head of the base, and those of the commits' trailers.
 * @param {ReturnType<typeof pullRequest>} request @param {string} ledger @param {boolean} isStrict @param {Report} report
 */
function expectedHeads(request, ledger, isStrict, report) {
  const base = request.lastHead(request.base, ledger)
  const trailers = request.trailers()
  for (const { commit, head } of request.ledgerCommits(ledger)) {
    if (head === undefined || trailers.get(commit)?.includes(head)) continue
    const what = `Commit ${commit.slice(0, 12)} changes the ledger and has no \`Trace-Head:\` trailer of its head.`
    if (isStrict) report.problems.push(what)
    else report.notes.push(`${what} Nothing shows that records behind the last trailer were not cut.`)
  }
  return [...(base === undefined ? [] : [base]), ...[...trailers.values()].flat()]
}

/**
 * @param {ReturnType<typeof pullRequest>} request @param {string} folder read from the base, so that the pull request cannot add a key
 * @param {string} home
 */
function copyKeys(request, folder, home) {
  const to = join(home, 'state', 'escrowfs', 'keys')
  mkdirSync(to, { recursive: true })
  const names = request.list(request.base, folder).filter((path) => KEY.test(basename(path)))
  if (names.length === 0) throw new Error(`The base has no NAME.pub.pem in ${folder}.`)
  for (const path of names) writeFileSync(join(to, basename(path)), request.file(request.base, path) ?? '')
}

/**
 * @param {import('escrowfs').Workspace} workspace @param {string[]} heads @param {boolean} isSigned @param {Report} report
 */
async function verifyChain({ ledger }, heads, isSigned, report) {
  const found = await ledger
    .verify({ heads })
    .catch((error) => ({ ok: false, records: 0, firstBad: { line: 0, reason: String(error.message) } }))
  report.records = found.records
  report.signed = 'signed' in found ? (found.signed ?? 0) : 0
  if (!found.ok) {
    report.problems.push(`The ledger is damaged from line ${found.firstBad?.line} on: ${found.firstBad?.reason}`)
    return
  }
  if (!isSigned) return
  // Records after the last checkpoint must not be commits.
  let isCovered = true
  for await (const record of ledger.records()) {
    const type = ownOf(record)?.type
    if (type === 'checkpoint') isCovered = true
    else if (type === undefined || type === 'commit' || type === 'undo') isCovered = false
  }
  if (!isCovered || report.signed === 0 || 'unknownKeys' in found)
    report.problems.push('What landed last is not signed by a key of the base.')
}

/**
 * The ids of commit records with an earlier approval for each of their paths.
 * @param {import('escrowfs').Workspace} workspace
 */
async function approvedRecords({ ledger }) {
  /** @type {Set<string>} */
  const verdicts = new Set()
  /** @type {Set<string>} */
  const approved = new Set()
  for await (const record of ledger.records()) {
    const own = ownOf(record)
    if (own === undefined) continue
    const keyOf = (/** @type {unknown} */ path) => JSON.stringify([record.session_id, path])
    if (own.type === 'verdict' && own.verdict === 'approved')
      for (const path of lines(own.paths)) verdicts.add(keyOf(path))
    const hasReviewer =
      own.type === 'commit' && own.verdict === 'approved' && lines(own.approved_by ?? own.approvedBy).length > 0
    const changes = lines(own.changes)
    if (hasReviewer && changes.every((change) => verdicts.has(keyOf(change.path)))) approved.add(String(record.id))
  }
  return approved
}

/**
 * @param {string} path @param {readonly number[]} added @param {readonly import('escrowfs').BlameLine[]} blamed
 * @param {ReadonlySet<string>} approved @param {Report} report
 */
function checkFile(path, added, blamed, approved, report) {
  const file = emptyReport(path, added.length)
  /** @type {number[]} */
  const unapproved = []
  for (const number of added) {
    const line = blamed[number - 1]
    if (line?.contributor !== 'ai') continue
    file.agent++
    file.models.add(line.model ?? 'an agent')
    if (line.intentId !== undefined) file.intents.add(line.intentId)
    if (line.approvedBy !== undefined) file.approvers.add(line.approvedBy)
    if (line.approvedBy === undefined || !approved.has(line.recordId ?? '')) unapproved.push(number)
  }
  if (unapproved.length > 0)
    report.problems.push(`${path}: an agent wrote ${ranges(unapproved)}, and no record says that a person approved it.`)
  return file
}

/** @param {readonly number[]} numbers ascending */
function ranges(numbers) {
  /** @type {[number, number][]} */
  const found = []
  for (const number of numbers) {
    const last = found.at(-1)
    if (last !== undefined && last[1] === number - 1) last[1] = number
    else found.push([number, number])
  }
  return `line${numbers.length === 1 ? '' : 's'} ${found.map(([from, to]) => (from === to ? from : `${from}-${to}`)).join(', ')}`
}

/** @param {import('escrowfs').TraceRecord} record @returns {Record<string, unknown> | undefined} */
function ownOf({ metadata }) {
  return /** @type {Record<string, any> | undefined} */ (metadata)?.['dev.escrowfs']
}
