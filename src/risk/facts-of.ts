import { languageOf } from '../change-class/index.js'
import { disagrees } from '../core/mutation.js'
import { pauses } from '../core/pauses.js'
import { processorMs } from '../core/processor-time.js'
import type { RiskFact } from '../core/risk-api.js'
import { type Changed, type Texts, textsOf } from './changed.js'
import { characterFacts } from './characters.js'
import { compareReadings } from './compare.js'
import { compareTests } from './compare-tests.js'
import { dependencyFacts, lockAloneFacts } from './dependencies.js'
import { documentFacts } from './documents.js'
import { type FactName, type FileFindings, type Found, toFacts } from './facts.js'
import { fileFacts, sameBytes } from './file-facts.js'
import { generatedFacts } from './generated.js'
import { needsSyntax } from './hints.js'
import { isFindings } from './is-findings.js'
import { lexicalGuards } from './lexical-guards.js'
import { markFacts } from './marks.js'
import { moduleFacts } from './modules.js'
import { isEcmascript, isProse, isSource, isTest, manifestOf } from './paths.js'
import { readEcmascript } from './reading.js'
import { secretFacts } from './secrets.js'
import { settingFacts } from './settings.js'
import { textFacts } from './text-facts.js'

/** Findings that were made earlier. */
export interface KnownFindings {
  get(change: Changed): FileFindings | undefined
  /** What another process stored about the change. It is checked before its use. */
  stored(change: Changed): unknown
  set(change: Changed, findings: FileFindings): void
}

export interface FactsOptions {
  readonly known?: KnownFindings
}

/** The most bytes of text on both sides that one call reads, and that it parses. Text beyond them gets a fact that says so. */
const TEXT_BUDGET = 64 * 1024 * 1024
const PARSE_BUDGET = 8 * 1024 * 1024
/** Milliseconds of processor time for parsing in one call. Only text that is made to be slow takes that long. */
const PARSE_BUDGET_MS = 15_000
const PAUSE_AFTER_MS = 15

/** As `factsOf` of `load.ts`. */
export async function findFacts(set: readonly Changed[], { known }: FactsOptions): Promise<Map<string, RiskFact[]>> {
  const left = { text: TEXT_BUDGET, parsed: PARSE_BUDGET, milliseconds: PARSE_BUDGET_MS }
  const findings = new Map<Changed, FileFindings>()
  const pause = pauses(PAUSE_AFTER_MS)
  for (const change of set) {
    await pause()
    const cached = known && findKnown(known, change)
    const found = cached ?? (await findingsOf(change, left))
    const isWhole = cached !== undefined || (left.text >= 0 && left.parsed >= 0 && left.milliseconds >= 0)
    if (isWhole) known?.set(change, found)
    findings.set(change, found)
  }
  const shared = sharedOf(set, findings)
  return new Map(
    set.map((change) => {
      const found = findings.get(change) ?? []
      const placed = found.map((each) => relocate(each, change, shared))
      return [change.path, toFacts(change.path, [...placed, ...setFacts(change, shared)])]
    }),
  )
}

function findKnown(known: KnownFindings, change: Changed): FileFindings | undefined {
  const found = known.get(change)
  if (found !== undefined) return found
  const stored = known.stored(change)
  return isFindings(stored) ? stored : undefined
}

interface Left {
  text: number
  parsed: number
  milliseconds: number
}

async function findingsOf(change: Changed, left: Left): Promise<FileFindings> {
  left.text -= (change.before?.content?.length ?? 0) + (change.after?.content?.length ?? 0)
  const texts = left.text < 0 ? undefined : textsOf(change)
  const found = [...fileFacts(change, texts), ...generatedFacts(change, texts)]
  if (texts === undefined || change.kind === 'delete' || change.after?.type !== 'file') return found
  const { path } = change
  found.push(...characterFacts(path, texts), ...dependencyFacts(path, texts))
  if (manifestOf(path) !== undefined) return found
  found.push(...secretFacts(path, texts), ...textFacts(path, texts), ...settingFacts(path, texts))
  found.push(...lexicalGuards(path, texts), ...documentFacts(path, texts), ...markFacts(path, texts))
  return [...found, ...(await syntaxFindings(change, texts, left))]
}

async function syntaxFindings(change: Changed, texts: Texts, left: Left): Promise<FileFindings> {
  const { path, mutation } = change
  const language = isEcmascript(path) ? languageOf(path) : undefined
  if (language === undefined || mutation?.class === 'AST_REFACTOR' || !needsSyntax(path, texts)) return []
  left.parsed -= texts.before.length + texts.after.length
  const unread = (what: string): FileFindings => [{ name: 'unparsed', what }]
  if (left.parsed < 0 || left.milliseconds < 0) return unread('too much was changed at once')
  const started = processorMs()
  const now = await readEcmascript(language.grammar, texts.after)
  const old = await readEcmascript(language.grammar, texts.before)
  left.milliseconds -= processorMs() - started
  if (typeof now === 'string') return unread(now)
  if (typeof old === 'string') return unread(`before the change, ${old}`)
  const read = compareReadings(old, now)
  const isShown = read.some(({ name }) => name === 'data-sent' || CALLS_OUT.has(name))
  const all = [...read, ...moduleFacts(path, old.modules, now.modules, isShown)]
  return isTest(path) ? [...compareTests(old, now), ...callsInTests(all)] : all
}

/** Keeps the findings that are dangerous in a test too. Tests often call out of the program, so those calls weigh more elsewhere. */
function callsInTests(found: readonly Found[]): Found[] {
  return found.flatMap((each): Found[] => {
    if (ALSO_IN_TESTS.has(each.name)) return [each]
    return CALLS_OUT.has(each.name) ? [{ ...each, name: 'test-calls-out' }] : []
  })
}

const ALSO_IN_TESTS: ReadonlySet<FactName> = new Set([
  'data-sent',
  'runs-text',
  'escaped-name',
  'process-state',
  'global-state',
])
const CALLS_OUT: ReadonlySet<FactName> = new Set([
  'module-new',
  'process-new',
  'process-call',
  'network-call',
  'removes-files',
])

/** Text that left this file and appears in another one has moved. */
function relocate(found: Found, change: Changed, { added }: Shared): Found {
  const { gone = [] } = found
  const isElsewhere = [...added].some(
    ([other, text]) => other !== change && gone.some((form) => form !== '' && text.includes(form)),
  )
  if (!isElsewhere) return found
  const isGuard = found.name in GUARDS
  return { name: isGuard ? 'guard-moved' : 'moved-away', what: found.what, oldLine: found.oldLine }
}

const GUARDS = {
  'guard-removed': true,
  'early-return-removed': true,
  'guard-gone-with-function': true,
  'authorisation-removed': true,
  'validation-removed': true,
}

interface Shared {
  readonly set: readonly Changed[]
  /** The added lines of each file, without white space. Empty if no file of the set lost anything. */
  readonly added: ReadonlyMap<Changed, string>
  readonly hasTests: boolean
  readonly deletions: number
}

function sharedOf(set: readonly Changed[], findings: ReadonlyMap<Changed, FileFindings>): Shared {
  const all = [...findings.values()]
  const isNeeded = all.some((found) => found.some(({ gone }) => gone !== undefined))
  return {
    set,
    added: new Map(isNeeded ? set.map((change) => [change, addedText(change)]) : []),
    hasTests: set.some(({ path, kind }) => isTest(path) && kind !== 'delete'),
    deletions: all.filter((found) => found.some(({ name }) => name === 'deleted')).length,
  }
}

const MOST_ADDED = 256 * 1024

function addedText(change: Changed): string {
  if (change.kind === 'delete' || manifestOf(change.path) !== undefined) return ''
  const added = textsOf(change)?.added ?? []
  return added
    .map(({ text }) => text)
    .join('')
    .slice(0, MOST_ADDED)
    .replace(/\s+/g, '')
}

const MANY = 10

function setFacts(change: Changed, { set, hasTests, deletions }: Shared): Found[] {
  const { path, kind, mutation, after, before } = change
  const found: Found[] = lockAloneFacts(change, set)
  if (kind === 'delete' && before?.type === 'file' && deletions >= MANY)
    found.push({ name: 'many-deletions', what: `${deletions}` })
  if (mutation !== undefined && disagrees(mutation))
    found.push({ name: 'class-disagrees', what: mutation.declared ?? '' })
  const isSame = kind === 'rename' && sameBytes(before, after)
  const isBehaviour = !isSame && mutation?.class !== 'AST_REFACTOR' && after?.type === 'file' && isSource(path)
  if (isBehaviour && !isTest(path) && !isProse(path) && !hasTests && kind !== 'mode')
    found.push({ name: 'no-test', what: path })
  return found
}
