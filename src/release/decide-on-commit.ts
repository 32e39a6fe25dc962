import type { StagedChange } from '../../overlay/index.js'
import { createMeasure } from '../change-class/index.js'
import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { type Mutation, mutationOf } from '../core/mutation.js'
import type { ReleaseDecision } from '../core/release-api.js'
import { changesOfCommit } from '../git/index.js'
import type { PolicyState } from '../policy/index.js'
import { amendmentState, BaseDiffs, toChangeSet, verdictState } from '../review/index.js'
import { factsOf, riskOf } from '../risk/index.js'
import { decideRelease } from '../tiers/index.js'

/** Decides on the changes of a git commit as a release by rule would have decided on them in a stage. */
export async function decideOnCommit(layout: Layout, policy: PolicyState, commit: string): Promise<ReleaseDecision[]> {
  if (!policy.ok) throw new EscrowError('policy_invalid', policy.message)
  const found = changesOfCommit(layout.root, commit)
  const staged = found.map(({ change }) => change)
  const bases = new Map(found.map(({ change, base }) => [change, base]))
  const mutations = await mutationsOf(staged, bases)
  const facts = await factsOf(
    staged.map((change) => {
      const { path, kind, before, after } = change
      return {
        path,
        kind,
        before: before && { ...before, content: bases.get(change) ?? null },
        after: after && { ...after, content: change.content() },
        mutation: mutations.get(change),
      }
    }),
  )
  const { changes } = toChangeSet(staged, {
    diffs: new BaseDiffs({ before: (change) => bases.get(change) ?? null }),
    verdicts: verdictState([]),
    amendments: amendmentState([]),
    flags: () => [],
    mutation: (change) => mutations.get(change),
    risk: ({ path }) => riskOf(facts.get(path) ?? []),
  })
  return decideRelease(policy.rules.settings.release, changes)
}

async function mutationsOf(
  staged: readonly StagedChange[],
  bases: ReadonlyMap<StagedChange, Uint8Array | null>,
): Promise<ReadonlyMap<StagedChange, Mutation>> {
  const measure = createMeasure(new Map())
  const mutations = new Map<StagedChange, Mutation>()
  for (const change of staged) {
    const sides = { before: bases.get(change) ?? null, after: change.after && change.content() }
    mutations.set(change, mutationOf(await measure(change, sides), undefined))
  }
  return mutations
}
