import colors from 'picocolors'
import type { RooToolResult } from '../../src/agents/roo/index.js'
import type { AgentStep } from './transcript.js'

export interface PlayedCall {
  readonly step: AgentStep
  readonly result: RooToolResult
  readonly outcome: 'ok' | 'denied' | 'error'
  readonly milliseconds: number
  /** True if the outcome is the one that the transcript states. */
  readonly isAsExpected: boolean
}

export interface Report {
  /** True if all outcomes so far were as stated. */
  readonly passed: boolean
  section(title: string): void
  call(played: PlayedCall): void
  person(act: string, output: string, isAsExpected: boolean): void
  check(holds: boolean, what: string): void
  summary(totals: { files: number; shortstat: string }): void
}

/** Prints the replay step by step, and counts calls and failures. */
export function makeReport(print: (line: string) => void): Report {
  const calls: PlayedCall[] = []
  let failures = 0
  const countFailure = (holds: boolean) => {
    if (!holds) failures++
  }
  return {
    get passed() {
      return failures === 0
    },
    section: (title) => print(`\n${colors.bold(title)}`),
    call(played) {
      calls.push(played)
      countFailure(played.isAsExpected)
      for (const line of callLines(played)) print(line)
    },
    person(act, output, isAsExpected) {
      countFailure(isAsExpected)
      print(`${colors.magenta('person')}  ${colors.bold(act)}${isAsExpected ? '' : colors.red('  NOT AS STATED')}`)
      if (output.trim() !== '') print(output.trimEnd().replace(/^/gm, '        '))
    },
    check(holds, what) {
      countFailure(holds)
      print(`${holds ? colors.green('  holds') : colors.red('  FAILS')} ${colors.dim(what)}`)
    },
    summary: ({ files, shortstat }) => print(summaryLines(calls, files, shortstat, failures).join('\n')),
  }
}

const PAINT = { ok: colors.green, denied: colors.yellow, error: colors.cyan } as const

function callLines({ step, result, outcome, isAsExpected }: PlayedCall): string[] {
  const label = result.denial === undefined ? outcome : `${outcome} ${result.denial.reason}`
  const lines = [
    `${colors.blue(step.agent)}   ${step.tool} ${colors.dim(describeTarget(step.arguments))}  ${PAINT[outcome](label)}`,
  ]
  if (outcome !== 'ok') lines.push(colors.dim(`         ${firstLine(explanation(result))}`))
  for (const { path, reason } of result.feedback ?? []) {
    lines.push(colors.dim(`         the reviewer on ${path ?? 'the stage'}: `) + colors.magenta(reason))
  }
  if (!isAsExpected) {
    lines.push(colors.red(`         NOT AS STATED: ${JSON.stringify(step.expect)}`), result.content)
  }
  return lines
}

function explanation(result: RooToolResult): string {
  if (result.denial !== undefined) return result.denial.message
  const record: unknown = JSON.parse(result.content)
  return typeof record === 'object' && record !== null && 'error' in record ? String(record.error) : result.content
}

function describeTarget(args: Record<string, unknown>): string {
  const named = args.path ?? args.file_path ?? args.intent_id
  if (typeof named === 'string') return named
  const listed = JSON.stringify(args.files ?? []).matchAll(/"path":"(.*?)"/g)
  const patched = String(args.patch ?? '').matchAll(/^\s*\*\*\* (?:\w+ File|Move to): *(.*?) *$/gm)
  return [...new Set([...listed, ...patched].map((match) => match[1]))].join(', ')
}

function firstLine(text: string): string {
  const line = text.split('\n', 1)[0] ?? ''
  return line.length > 140 ? `${line.slice(0, 140)}…` : line
}

function summaryLines(calls: readonly PlayedCall[], files: number, shortstat: string, failures: number): string[] {
  const reasons = new Map<string, number>()
  for (const { result } of calls) {
    if (result.denial !== undefined) reasons.set(result.denial.reason, (reasons.get(result.denial.reason) ?? 0) + 1)
  }
  const refused = [...reasons].sort(([a], [b]) => a.localeCompare(b)).map(([reason, count]) => `${reason} ${count}`)
  const times = calls.map((call) => call.milliseconds).sort((a, b) => a - b)
  const count = (outcome: string) => calls.filter((call) => call.outcome === outcome).length
  return [
    `calls     ${calls.length}: ${count('ok')} done, ${count('denied')} refused, ${count('error')} failed by themselves`,
    `refusals  ${refused.join(', ')}`,
    `files     ${files} in the workspace; ${shortstat.trim()}`,
    `time      ${quantile(times, 0.5)} ms median, ${quantile(times, 0.95)} ms p95 inside escrowfs per call`,
    failures === 0
      ? colors.green('Everything went as the transcripts state.')
      : colors.red(`${failures} outcomes differ from what the transcripts state.`),
  ]
}

/** The quantile of sorted numbers by nearest rank. */
function quantile(sorted: readonly number[], share: number): string {
  return (sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0).toFixed(2)
}
