import { defined } from '../core/defined.js'
import type { RiskFact, RiskSeverity } from '../core/risk-api.js'

/** A row of the table: the severity of a fact, and its sentence. `%` in the sentence is replaced by what was found. */
interface FactRow {
  readonly severity: RiskSeverity
  readonly sentence: string
}

const stop = (sentence: string): FactRow => ({ severity: 'stop', sentence })
const look = (sentence: string): FactRow => ({ severity: 'look', sentence })
const note = (sentence: string): FactRow => ({ severity: 'note', sentence })

/** Every fact, by its name. docs/risk.md shows this table, and a test compares them. Names do not change. */
export const FACTS = {
  // What happens to the file
  deleted: look('The file is deleted.'),
  'many-deletions': stop('% files are deleted together.'),
  executable: look('The file becomes executable.'),
  'set-id': stop('The file runs with the rights of its owner or group (set-ID).'),
  'permissions-wider': look('Everybody may write the file.'),
  link: look('The path is a link to %.'),
  'link-outside': stop('The path is a link out of the workspace, to %.'),
  'type-changed': look('The path changes from a % to another type.'),
  // What runs by itself
  'runs-by-itself': stop('This file runs automatically, by %.'),
  'ci-changed': look('A CI service runs this file: %.'),
  'build-file': look('Builds and starts run this file: %.'),
  'tool-config': note('A tool runs this file as its configuration: %.'),
  migration: look('A migration changes stored data.'),
  'script-runner': look('The first line says which program runs the file: `%`.'),
  'install-script': stop('Package managers run the script `%` at installation.'),
  'script-changed': look('The script `%` changes.'),
  'ci-permissions': stop('The CI job gets more rights: `%`.'),
  'ci-foreign-action': look('The CI job runs code that its owner can replace: `%`.'),
  'ci-check-removed': look('A check is gone from the CI job: `%`.'),
  'failure-ignored': look('A failure no longer ends the job: `%`.'),
  // What the text contains
  secret: stop('It looks like a secret: %.'),
  'secret-like': look('A string with the form of a secret is assigned to `%`.'),
  'bidi-characters': stop('Characters change the direction of the text: %.'),
  'invisible-characters': stop('The line has invisible characters: %.'),
  homoglyph: stop('The word `%` has letters that look like others.'),
  'hidden-by-spaces': stop('Code is hidden far to the right, after % spaces.'),
  'long-line': look('A line is too long to read: % characters.'),
  'encoded-text': look('A string is encoded: % characters.'),
  'document-runs': look('A tool that builds, tests or shows the document may run this: `%`.'),
  // What the code calls
  'process-new': stop('The code starts a process, and the file started none before: `%`.'),
  'process-call': look('The code starts a process: `%`.'),
  'network-call': look('The code opens a connection: `%`.'),
  'data-sent': stop('Environment variables or a file go into a network call: `%`.'),
  'runs-text': stop('A text runs as code: `%`.'),
  'dynamic-import': look('The name of a loaded module is computed: `%`.'),
  'module-new': look('The file loads a module that reaches out, or that is not reviewed code: %.'),
  'process-state': look('The code controls the process that it runs in: `%`.'),
  'global-state': look('The code changes what other code uses: `%`.'),
  'escaped-name': stop('A name is written with escapes: `%`.'),
  'new-host': look('The host % is new.'),
  'address-in-code': stop('The code names the network address %.'),
  'pipe-to-shell': stop('A download runs unread: `%`.'),
  'removes-files': look('The code removes a directory and all below it: `%`.'),
  'destroys-data': stop('The statement destroys stored data: `%`.'),
  'secret-place': stop('The code names a place where secrets are kept: %.'),
  'environment-read': look('The code reads all environment variables: `%`.'),
  'raw-html': stop('Text becomes HTML without being escaped: `%`.'),
  'query-from-parts': stop('A query is built from values: `%`.'),
  // Dependencies
  'dependency-added': look('The dependency % is new.'),
  'dependency-changed': note('The dependency % has another version range.'),
  'dependency-removed': note('The dependency % is gone.'),
  'dependency-source': stop('The dependency % does not come from the registry.'),
  'dependency-override': look('The version of % is overridden.'),
  'registry-changed': stop('Packages come from another place: `%`.'),
  'lock-host': stop('A package is downloaded from another host: %.'),
  'lock-integrity': stop('The same version has another checksum, or none: %.'),
  'lock-script': look('A package that was added runs a script at installation: %.'),
  'lock-alone': look('The lockfile changes, and its manifest does not.'),
  // What the change removes
  'export-removed': look('The exported name `%` is gone.'),
  'test-deleted': stop('A file of tests is deleted.'),
  'test-removed': stop('The test % is gone.'),
  'assertion-removed': stop('An assertion is gone: `%`.'),
  'assertion-weaker': stop('An assertion accepts more: `%`.'),
  'assertion-empty': stop('An assertion that always passes: `%`.'),
  'expectation-changed': look('A test expects something else: `%`.'),
  'test-switched-off': stop('A test no longer runs: `%`.'),
  'test-calls-out': look('A test starts a process, opens a connection or removes a directory: `%`.'),
  'check-suppressed': look('A comment switches a check off: `%`.'),
  'threshold-lowered': stop('A limit of a check is lower: `%`.'),
  'authorisation-removed': stop('A check of rights is gone: `%`.'),
  'guard-removed': stop('A condition that stopped the work is gone: `%`.'),
  'guard-changed': look('A condition that stops the work has changed: `%`.'),
  'guard-moved': look('A condition that stopped the work is in another file now: `%`.'),
  'early-return-removed': look('A condition that left the function early is gone: `%`.'),
  'guard-gone-with-function': look('A function is gone, and a condition that stopped the work with it: `%`.'),
  'guard-constant': stop('A condition is constant: `%`.'),
  'check-always-passes': stop('A check always gives the same answer: `%`.'),
  'check-changed': look('A check of rights tests something else: `%`.'),
  'comparison-changed': look('A comparison has another operator: `%`.'),
  'check-replaced': look('A check of rights is replaced by another: `%`.'),
  'validation-removed': stop('A call that checks or cleans a value is gone: `%`.'),
  'pattern-removed': look('A pattern that text was checked against is gone: `%`.'),
  'pattern-changed': note('A pattern has changed: `%`.'),
  'pattern-looser': stop('A pattern accepts more, because it lost an anchor: `%`.'),
  'error-swallowed': stop('Errors that were handled are caught now, and nothing is done: `%`.'),
  'catch-empty': note('Errors are caught and nothing is done: `%`.'),
  'setting-off': stop('A setting that protects is switched off: `%`.'),
  'limit-changed': look('A limit has changed: `%`.'),
  'tls-check-off': stop('The check of TLS certificates is switched off: `%`.'),
  'crypto-weaker': stop('A cryptographic parameter is weaker: `%`.'),
  'moved-away': note('It is in another file of the set now: `%`.'),
  // Statements of the change about itself
  'class-disagrees': stop('The agent declared %, and the comparison proves another class.'),
  'no-test': note('Behaviour changes, and no test in the set changes with it.'),
  // How well it can be read
  'program-binary': stop('The file is a program or an archive: %.'),
  opaque: look('The content cannot be read as text.'),
  unparsed: look('The code could not be parsed, so facts from its syntax are missing: %.'),
  large: note('% lines change.'),
  generated: note('A tool writes this file: %.'),
} as const satisfies Readonly<Record<string, FactRow>>

export type FactName = keyof typeof FACTS

/** A fact about a path, before its path is known. */
export interface Found {
  readonly name: FactName
  readonly what: string
  readonly line?: number | undefined
  readonly oldLine?: number | undefined
  /** The forms that the removed text could have in another file, without white space. */
  readonly gone?: readonly string[]
}

/** The facts that one file's contents show. They depend only on the path and both sides, so they can be cached. */
export type FileFindings = readonly Found[]

/** Facts of one name about one file. More of them say nothing new. */
const MOST_OF_A_NAME = 20
const MOST_TEXT = 120

/** A fact with its sentence. */
function toFact(path: string, { name, what, line, oldLine }: Found): RiskFact {
  const { severity, sentence } = FACTS[name]
  return { name, severity, sentence: sentence.replace('%', () => short(what)), path, ...defined({ line, oldLine }) }
}

/** The facts of one path: each once, at most twenty of a name, most severe first, then in the order of the table. */
export function toFacts(path: string, found: readonly Found[]): RiskFact[] {
  const counts = new Map<FactName, number>()
  const seen = new Set<string>()
  const unique = found.filter((each) => {
    const key = JSON.stringify([each.name, each.what, each.line, each.oldLine])
    const count = (counts.get(each.name) ?? 0) + 1
    counts.set(each.name, count)
    const isNew = !seen.has(key)
    seen.add(key)
    return isNew && count <= MOST_OF_A_NAME
  })
  return unique.sort(byGravity).map((each) => toFact(path, each))
}

const ORDER = Object.keys(FACTS)
const GRAVITY = { stop: 0, look: 1, note: 2, none: 3 } as const

function byGravity(a: Found, b: Found): number {
  const severity = gravityOf(FACTS[a.name].severity) - gravityOf(FACTS[b.name].severity)
  return severity || ORDER.indexOf(a.name) - ORDER.indexOf(b.name) || (a.line ?? 0) - (b.line ?? 0)
}

/** 0 for the most severe. */
export function gravityOf(level: RiskSeverity | 'none'): number {
  return GRAVITY[level]
}

function short(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= MOST_TEXT ? line : `${line.slice(0, MOST_TEXT - 1)}…`
}
