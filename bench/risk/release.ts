import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { asRelPath, digest, type FileState, type StagedChange } from '../../overlay/index.js'
import { createMeasure } from '../../src/change-class/index.js'
import type { Change } from '../../src/core/api.js'
import type { ReleaseDecision, ReleaseRules } from '../../src/core/release-api.js'
import { protection, readPolicy } from '../../src/policy/index.js'
import { amendmentState, BaseDiffs, toChangeSet, verdictState } from '../../src/review/index.js'
import { type Changed, factsOf, riskOf, type Side } from '../../src/risk/index.js'
import { decideRelease } from '../../src/tiers/index.js'
import type { ChangeSetCase } from './sets.js'

/** Decides on the change sets by the tiers that docs/release.md recommends. Checks count as green. */

export interface Released {
  readonly change: Change
  readonly decision: ReleaseDecision
}

const PAGE = fileURLToPath(new URL('../../docs/release.md', import.meta.url))

/**
 * The tiers of the page. Sources of the sets' packages are deeper than the page's `src`: the globs apply at any depth.
 */
export function recommendedRules(page = readFileSync(PAGE, 'utf8')): ReleaseRules {
  const [, text = ''] = /^```yaml\n(# \.orchestration\/policy\.yaml\n.*?)^```$/ms.exec(page) ?? []
  const { rules } = readPolicy('/', { kind: 'bytes', bytes: Buffer.from(text) })
  const release = rules?.settings.release
  if (release === undefined) throw new Error('docs/release.md shows no tiers.')
  const tiers = release.tiers.map((tier) => ({ ...tier, paths: tier.paths.map((glob) => `**/${glob}`) }))
  return { ...release, tiers }
}

/** The decision of the rules on each change of a set, in the order of a review. */
export async function releasedOf(rules: ReleaseRules, { changes }: ChangeSetCase): Promise<Released[]> {
  const shown = await shownOf(changes)
  const decisions = decideRelease(rules, shown)
  return shown.flatMap((change, at) => {
    const decision = decisions[at]
    return decision === undefined ? [] : [{ change, decision }]
  })
}

/** The changes as a review has them: with hunks, flags, measured class and facts. */
async function shownOf(changes: readonly Changed[]): Promise<readonly Change[]> {
  const measure = createMeasure(new Map())
  const classified: { readonly staged: StagedChange; readonly changed: Changed }[] = []
  for (const change of changes) {
    const staged = stagedOf(change)
    const mutation = await measure(staged, { before: contentOf(change.before), after: contentOf(change.after) })
    classified.push({ staged, changed: { ...change, mutation } })
  }
  const facts = await factsOf(classified.map(({ changed }) => changed))
  const known = new Map(classified.map(({ staged, changed }) => [staged, changed]))
  return toChangeSet([...known.keys()], {
    diffs: new BaseDiffs({ before: (staged) => contentOf(known.get(staged)?.before ?? null) }),
    verdicts: verdictState([]),
    amendments: amendmentState([]),
    flags: ({ path }) => flagsOf(path),
    mutation: (staged) => known.get(staged)?.mutation,
    risk: ({ path }) => riskOf(facts.get(path) ?? []),
  }).changes
}

function stagedOf({ path, kind, before, after }: Changed): StagedChange {
  return {
    path: asRelPath(path),
    kind,
    before: stateOf(before),
    after: stateOf(after),
    drifted: false,
    calls: [],
    content: () => contentOf(after) ?? new Uint8Array(),
  }
}

function stateOf(side: Side | null): FileState | null {
  return side && { type: side.type, mode: side.mode, digest: digest(side.content ?? new Uint8Array()) }
}

const contentOf = (side: Side | null) => side?.content ?? null

/** The policy flags of a path within the scope of its intent. */
function flagsOf(path: string): string[] {
  const level = protection(path)?.level
  return level === undefined ? [] : [level === 'highlight' ? level : 'protected']
}

/** Why a change needs a person, in categories: facts by name, other reasons without names and numbers. */
function causesOf({ change, decision }: Released): string[] {
  const facts = (change.risk?.facts ?? []).filter(({ severity }) => severity !== 'note')
  const names = facts.map(({ name, severity }) => `${severity} ${name}`)
  const sentences = facts.map(({ sentence }) => sentence)
  const others = decision.reasons.filter((reason) => !sentences.some((sentence) => reason.startsWith(sentence)))
  const plain = others.map((reason) => reason.replace(change.path, 'it').replace(/, not \d+$/, ''))
  return [...new Set([...names, ...plain])]
}

const OVER_BUDGET = /^the tier \S+ releases \d+ (?:files|lines) at most/

/** Whether only a tier's budget prevents the release of a change. */
export function isOverBudgetOnly({ decision: { reasons } }: Released): boolean {
  return reasons.length > 0 && reasons.every((reason) => OVER_BUDGET.test(reason))
}

/** How many changes have each cause, the most frequent first. A change can have several. */
export function countByCause(results: readonly Released[]): { readonly name: string; readonly value: number }[] {
  const counts = new Map<string, number>()
  for (const cause of results.flatMap(causesOf)) counts.set(cause, (counts.get(cause) ?? 0) + 1)
  return [...counts].map(([name, value]) => ({ name, value })).sort((a, b) => b.value - a.value)
}
