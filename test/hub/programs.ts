import fc from 'fast-check'
import { digest } from '../../overlay/index.js'
import type { ReviewRules } from '../../src/hub/types.js'

/** Random programs over the stores of one workspace: rounds of steps, and the steps of a round run at the same time. */

const FEW = 2
export const SESSIONS = ['one', 'two']
/** Two of them sign in under the same name. */
const PEOPLE = ['ada', 'bo', 'cy', 'sam', 'eve'] as const
export type PersonId = (typeof PEOPLE)[number]

const session = fc.constantFrom(...SESSIONS, 'one', 'one')
const person = fc.constantFrom(...PEOPLE)
const verdict = fc.oneof(
  { weight: 4, arbitrary: fc.constant('approved' as const) },
  { weight: 1, arbitrary: fc.constant('rejected' as const) },
)
/** The version of each file; 0: no change of it. The file `a` has three hunks, and `docs/b` is decided as a whole. */
const files = fc.oneof(
  { weight: 2, arbitrary: fc.constant({ a: 1, b: 1 }) },
  { weight: 1, arbitrary: fc.record({ a: fc.nat(FEW), b: fc.nat(FEW) }) },
)

export const RULES: readonly ReviewRules[] = [
  ...[1, 2, 3].map((approvals): ReviewRules => ({ approvals, codeowners: null, teams: {} })),
  { approvals: 1, codeowners: '* @ada\n/docs/ @shop/docs\n', teams: { '@shop/docs': ['Bo'] } },
  { approvals: 2, codeowners: '/docs/ @shop/docs\n', teams: {} },
]

const steps = {
  submit: fc.record({ act: fc.constant('submit' as const), session, files }),
  vote: fc.record({
    act: fc.constant('vote' as const),
    session,
    person,
    verdict,
    on: fc.constantFrom('all', 'a', 'b', 'hunks'),
    hunks: fc.subarray([0, 1, 2], { minLength: 1 }),
  }),
  revoke: fc.record({ act: fc.constant('revoke' as const), person }),
  rules: fc.record({ act: fc.constant('rules' as const), at: fc.nat(RULES.length - 1) }),
  pull: fc.record({ act: fc.constant('pull' as const) }),
  claim: fc.record({ act: fc.constant('claim' as const), session, path: fc.constantFrom('', 'a', 'docs') }),
  release: fc.record({ act: fc.constant('release' as const), session, path: fc.constantFrom('', 'a', 'docs') }),
  repository: fc.record({ act: fc.constant('repository' as const), isSet: fc.boolean() }),
  turn: fc.record({ act: fc.constant('turn' as const) }),
  begin: fc.record({ act: fc.constant('begin' as const) }),
  end: fc.record({
    act: fc.constant('end' as const),
    state: fc.constantFrom('landed' as const, 'landed' as const, 'evicted' as const),
  }),
  pause: fc.record({ act: fc.constant('pause' as const) }),
  prune: fc.record({ act: fc.constant('prune' as const) }),
}

const step = fc.oneof(
  { weight: 2, arbitrary: steps.submit },
  { weight: 16, arbitrary: steps.vote },
  { weight: 10, arbitrary: fc.oneof(steps.begin, steps.end) },
  { weight: 3, arbitrary: steps.pull },
  { weight: 2, arbitrary: steps.revoke },
  { weight: 3, arbitrary: fc.oneof(...Object.values(steps)) },
)

export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** The first rules, and rounds of steps. */
export const PROGRAM = fc.tuple(
  fc.nat(RULES.length - 1),
  fc.array(fc.array(step, { minLength: 1, maxLength: 5 }), { minLength: 4, maxLength: 14 }),
)

const LINES = Array.from({ length: 60 }, (_, index) => `line ${index}`)
const textOf = (lines: readonly string[]) => `${lines.join('\n')}\n`

/** A version of `a`: 0 is the version on disk. */
export function versionOf(version: number): string {
  return textOf(version === 0 ? LINES : LINES.map((line, index) => (index % 25 === 5 ? `${version} ${line}` : line)))
}

/** The digest of a version of `a`. */
export function digestOf(version: number): string {
  return digest(versionOf(version))
}
