import { z } from 'zod'
import type { Intent, IntentCheck } from '../core/api.js'
import { defined } from '../core/defined.js'
import { globProblem } from '../core/globs.js'

/** Acceptance criteria: a sentence for people, or a map with `run`, a command. */

/** The most seconds that a check may take: one day. */
const MAX_TIMEOUT = 86_400
/** The most checks of one intent. */
const MAX_CHECKS = 50

const EXPECTED = 'a text, or a map with `run`, is expected; put a text in quotes'

const text = z.string({ error: 'a text is expected; put it in quotes' })
const glob = text.superRefine((value, context) => {
  const problem = globProblem(value)
  if (problem)
    context.addIssue({ code: 'custom', message: `the glob ${JSON.stringify(value.slice(0, 80))}: ${problem}` })
})
const host = text.regex(
  /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/i,
  'a host is expected, such as example.com, *.example.com or example.com:8443',
)

const check = z.strictObject(
  {
    run: text.regex(/^(?=[^\0]*\S)[^\0]{1,4096}$/s, 'a command of at most 4096 characters is expected'),
    paths: z
      .array(glob, { error: 'a list of globs is expected' })
      .refine((all) => all.some((each) => !each.startsWith('!')), 'a glob without `!` is expected')
      .nullish(),
    timeout: z
      .number({ error: 'a whole number of seconds is expected' })
      .refine(Number.isInteger, 'a whole number of seconds is expected')
      .min(1, 'at least one second is expected')
      .max(MAX_TIMEOUT, `at most ${MAX_TIMEOUT} seconds are possible`)
      .nullish(),
    network: z.array(host, { error: 'a list of hosts is expected' }).nullish(),
  },
  { error: EXPECTED },
)

type Criterion = string | z.infer<typeof check>

/** The value of `acceptance_criteria`. */
export const criteria = z
  .array(z.union([text, check], { error: EXPECTED }), { error: 'a list of texts and checks is expected' })
  .refine((all) => all.filter(isCheck).length <= MAX_CHECKS, `more than ${MAX_CHECKS} checks in one intent; use fewer`)
  .nullish()

function isCheck(criterion: Criterion): criterion is z.infer<typeof check> {
  return typeof criterion !== 'string'
}

export function sentencesOf(all: z.infer<typeof criteria>): string[] {
  return (all ?? []).filter((each) => typeof each === 'string')
}

export function checksOf(all: z.infer<typeof criteria>): IntentCheck[] {
  return (all ?? []).filter(isCheck).map(({ run, paths, timeout, network }) => ({
    run,
    ...defined({ paths: paths ?? undefined, timeout: timeout ?? undefined, network: network ?? undefined }),
  }))
}

/** The criteria as the file lists them: sentences first. */
export function criteriaOf({ acceptanceCriteria, checks }: Pick<Intent, 'acceptanceCriteria' | 'checks'>) {
  return [
    ...acceptanceCriteria,
    ...checks.map(({ run, paths, timeout, network }) => ({ run, ...defined({ paths, timeout, network }) })),
  ]
}
