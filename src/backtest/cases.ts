import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { codeOf, readRegular } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import type { ReplayRules } from '../judge/index.js'
import { type Outcome, Replay, type ReplayedCall } from './replay.js'

/** A recorded call with the outcome that rules must give it. */
const caseSchema = z.strictObject({
  /** The name of the case, for people. */
  name: z.string().optional(),
  client: z.enum(['claude', 'codex', 'gemini', 'opencode', 'cline', 'roo', 'escrow']).default('claude'),
  tool: z.string().min(1),
  input: z.record(z.string(), z.unknown()).default({}),
  /** The directory of the call, relative to the workspace; the workspace by default. */
  cwd: z.string().optional(),
  expect: z.enum(['allow', 'ask', 'deny']),
  /** The reason of the denial, or the rule that asks. */
  reason: z.string().optional(),
})
const fileSchema = z.strictObject({ cases: z.array(caseSchema) })

export type PolicyCase = z.output<typeof caseSchema>
type Expectation = PolicyCase['expect']

/** A case, and the decision of the current rules. */
export interface CaseResult {
  /** The file of the case, relative to its folder, and its number there. */
  readonly file: string
  readonly number: number
  readonly case: PolicyCase
  readonly actual: { readonly expect: Expectation; readonly reason?: string }
  readonly passed: boolean
}

/** The workspace of cases. */
export const CASE_ROOT = '/workspace'
const MAX_FILE = 16 << 20

/**
 * Decides each case of a folder by the rules.
 * @throws EscrowError `policy_invalid` for a file that is not a list of cases; `access_denied` for one that cannot be
 *   read; `unsupported` for a folder without cases
 */
export async function testCases(folder: string, rules: ReplayRules): Promise<CaseResult[]> {
  const replay = new Replay(rules)
  const results: CaseResult[] = []
  for (const file of caseFiles(folder)) {
    for (const [at, each] of readCases(join(folder, file), file).entries())
      results.push(await testCase(replay, file, at + 1, each))
  }
  if (results.length > 0) return results
  throw new EscrowError('unsupported', `${folder} has no case.`, {
    hint: "Record some: 'escrow backtest --record DIR'. Files end in .yaml, .yml or .json.",
  })
}

function caseFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /\.(?:ya?ml|json)$/.test(name))
      .sort()
  } catch (error) {
    throw new EscrowError('access_denied', `${folder} cannot be read (${codeOf(error) ?? 'error'}).`, {
      hint: 'Name a folder of cases.',
      cause: error,
    })
  }
}

/** JSON is YAML, too. */
function readCases(path: string, name: string): readonly PolicyCase[] {
  const invalid = (why: string) =>
    new EscrowError('policy_invalid', `${name} is not a file of cases: ${why}.`, { hint: 'Correct it, or remove it.' })
  let value: unknown
  try {
    const bytes = readRegular(path, false)
    if (bytes.length > MAX_FILE) throw new Error(`it has more than ${MAX_FILE} bytes`)
    value = parse(bytes.toString('utf8'))
  } catch (error) {
    throw invalid(errorText(error).replace(/\.?\n[\s\S]*$/, ''))
  }
  const read = fileSchema.safeParse(value)
  if (read.success) return read.data.cases
  const [issue] = read.error.issues
  throw invalid(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unreadable'}`)
}

/** Each case is a session of its own, so that none depends on another. */
export async function testCase(replay: Replay, file: string, number: number, each: PolicyCase): Promise<CaseResult> {
  const common = { host: each.client, session: `${file} ${number}`, id: undefined } as const
  // The first call of a session names the workspace.
  await replay.decide({ ...common, cwd: CASE_ROOT, tool: 'start', input: {} })
  const cwd = each.cwd === undefined ? CASE_ROOT : join(CASE_ROOT, each.cwd)
  const decided = await replay.decide({ ...common, cwd, tool: each.tool, input: each.input })
  const actual = { expect: EXPECTATIONS[decided.outcome], ...reasonOf(decided) }
  const passed = actual.expect === each.expect && (each.reason === undefined || each.reason === actual.reason)
  return { file, number, case: each, actual, passed }
}

export const EXPECTATIONS = {
  allowed: 'allow',
  staged: 'allow',
  asked: 'ask',
  refused: 'deny',
} as const satisfies Record<Outcome, Expectation>

/** The rule that decided; absent for a call that is allowed. */
export function reasonOf({ rule }: ReplayedCall): { reason?: string } {
  return rule === undefined ? {} : { reason: rule }
}

export function caseName({ file, number, case: { name, tool, input } }: CaseResult): string {
  const what = name ?? [tool, ...Object.values(input).filter((value) => typeof value === 'string')].join(' ')
  return `${basename(file)} ${number}: ${what}`
}
