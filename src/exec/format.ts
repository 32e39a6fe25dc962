import { asRelPath, type Overlay } from '../../overlay/index.js'
import type { ExecResult, Feedback } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import type { ToolContext } from '../core/tool-context.js'
import type { FormatRule, Policy } from '../policy/index.js'
import type { SessionExec } from './exec.js'

/** Milliseconds for all formatters of one tool call, including the wait for the session's other commands. */
const BUDGET_MS = 30_000

/** Largest number of files in one run, because of ARG_MAX. */
const BATCH = 500

/** One run of a formatter. */
interface Job {
  readonly rule: FormatRule
  readonly files: readonly string[]
}

/**
 * After a tool call, runs the formatters of policy.yaml on the files the call wrote, in the sandbox. Only those files
 * are staged, and only if the formatter exits with 0. A formatter never fails the call.
 */
export class SessionFormat {
  /** Failures that were reported already, so that a missing formatter is reported once. */
  readonly #reported = new Set<string>()

  constructor(
    private readonly policy: Pick<Policy, 'settings'>,
    private readonly exec: Pick<SessionExec, 'run'>,
    private readonly overlay: Pick<Overlay, 'typeOf'>,
    private readonly inform: (feedback: Feedback) => void,
    private readonly budget = BUDGET_MS,
  ) {}

  /** Call it within the tool call, after its work. The output of commands is not formatted. */
  async after({ kind }: Pick<ToolContext, 'kind'>, touched: ReadonlySet<string>): Promise<void> {
    const rules = this.policy.settings()?.format ?? []
    if (rules.length === 0 || kind === 'command' || kind === 'read') return
    const files = [...touched].filter((path) => this.overlay.typeOf(asRelPath(path)) === 'file').sort()
    const end = performance.now() + this.budget
    for (const job of jobsOf(rules, files)) await this.#attempt(job, end)
  }

  async #attempt(job: Job, end: number): Promise<void> {
    try {
      const changed = await this.#run(job, end)
      const reason = `A formatter (${nameOf(job.rule)}) changed it after you wrote it. Read it again before you edit it.`
      for (const path of changed) this.inform({ path, kind: 'formatted', reason })
    } catch (error) {
      this.#report(job, errorText(error))
    }
  }

  /** @returns the files it changed. */
  async #run({ rule, files }: Job, end: number): Promise<string[]> {
    const remaining = end - performance.now()
    const over = new AbortController()
    const isOver = () => Promise.reject(new EscrowError('limit_exceeded', 'no time was left'))
    if (remaining <= 0) return isOver()
    const wanted = new Set(files)
    const running = this.exec.run(
      commandOf(rule, files),
      { timeout: remaining, signal: over.signal },
      {
        admit: async () =>
          over.signal.aborted ? isOver() : { format: [...rule.files], allowed: { by: 'policy.yaml' } },
        accepts: ({ kind, path }, { exitCode }) =>
          kind === 'file' && wanted.has(path) && exitCode === 0 && !over.signal.aborted,
      },
    )
    const ran = await withTimeout(remaining, running, over)
    if (ran === undefined) return isOver()
    if (ran.exitCode !== 0) throw new Error(failureOf(ran))
    return ran.effects.changes.map(({ path }) => path).filter((path) => wanted.has(path))
  }

  #report({ rule }: Job, why: string): void {
    const reason = `Not formatted: ${nameOf(rule)}: ${why}`
    if (this.#reported.has(reason)) return
    this.#reported.add(reason)
    this.inform({ kind: 'format', reason })
  }
}

/** In the order of the rules, because several may match a file. */
function jobsOf(rules: readonly FormatRule[], files: readonly string[]): Job[] {
  return rules.flatMap((rule) => {
    const its = files.filter((path) => rule.matches(path))
    const batches = Array.from({ length: Math.ceil(its.length / BATCH) }, (_, at) => at * BATCH)
    return batches.map((from) => ({ rule, files: its.slice(from, from + BATCH) }))
  })
}

/** Passes each file as one argument. A shell line without `"$@"` gets it appended. */
function commandOf({ run }: FormatRule, files: readonly string[]): string[] {
  const args = files.map((path) => `./${path}`)
  if (typeof run !== 'string') return [...run, ...args]
  return ['/bin/sh', '-c', run.includes('$@') ? run : `${run} "$@"`, 'sh', ...args]
}

function nameOf({ run }: FormatRule): string {
  return typeof run === 'string' ? run : run.join(' ')
}

/** Characters of a formatter's output that are reported. */
const MAX_OUTPUT = 300

function failureOf({ ended, exitCode, stderr, stdout }: ExecResult): string {
  if (ended !== undefined) return ended === 'timeout' ? 'it took too long' : `it was ended (${ended})`
  return `it ended with ${exitCode}. ${(stderr.trim() || stdout.trim()).slice(0, MAX_OUTPUT)}`.trim()
}

/** Undefined after `time` milliseconds; then the run is aborted and its result ignored. */
async function withTimeout<T>(time: number, running: Promise<T>, over: AbortController): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeUp = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, time, undefined)
  })
  try {
    return await Promise.race([running, timeUp])
  } finally {
    over.abort()
    clearTimeout(timer)
    running.catch(() => undefined)
  }
}
