import { asRelPath, type Overlay } from '../../overlay/index.js'
import type { ExecResult, Feedback } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import type { ToolContext } from '../core/tool-context.js'
import type { FormatRule, Policy } from '../policy/index.js'
import type { SessionExec } from './exec.js'

export interface FormatDeps {
  readonly policy: Pick<Policy, 'settings'>
  readonly exec: Pick<SessionExec, 'run'>
  readonly overlay: Pick<Overlay, 'typeOf'>
  readonly inform: (news: Feedback) => void
}

/** Milliseconds all formatters of one tool call have, a wait for the session's other commands included. */
const BUDGET_MS = 30_000

/** Files in one run: a command line has an end. */
const BATCH = 500

/** One formatter, on the files it is for. */
interface Job {
  readonly rule: FormatRule
  readonly files: readonly string[]
}

/**
 * After a tool call, the formatters that policy.yaml names run on the files the call wrote, as contained as any command.
 * Of what they do, only those files are staged, and only where they end well. They never fail the call.
 */
export class SessionFormat {
  /** Told already: a formatter that is not there would be told of after each call. */
  readonly #told = new Set<string>()

  constructor(
    private readonly deps: FormatDeps,
    private readonly budget = BUDGET_MS,
  ) {}

  /** Runs within the tool call, after its work. What a command wrote stays as it is. */
  async after({ kind }: Pick<ToolContext, 'kind'>, touched: ReadonlySet<string>): Promise<void> {
    const rules = this.deps.policy.settings()?.format ?? []
    if (rules.length === 0 || kind === 'command' || kind === 'read') return
    const files = [...touched].filter((path) => this.deps.overlay.typeOf(asRelPath(path)) === 'file').sort()
    const end = Date.now() + this.budget
    for (const job of jobsOf(rules, files)) await this.#attempt(job, end)
  }

  async #attempt(job: Job, end: number): Promise<void> {
    try {
      const changed = await this.#run(job, end)
      const reason = `It was formatted (${nameOf(job.rule)}) after you wrote it. Read it again before you edit it.`
      for (const path of changed) this.deps.inform({ path, kind: 'formatted', reason })
    } catch (error) {
      this.#tell(job, errorText(error))
    }
  }

  /** @returns the files that are other than they were. */
  async #run({ rule, files }: Job, end: number): Promise<string[]> {
    const left = end - Date.now()
    const over = new AbortController()
    const isOver = () => Promise.reject(new EscrowError('limit_exceeded', 'there was no time left for it'))
    if (left <= 0) return isOver()
    const wanted = new Set(files)
    const running = this.deps.exec.run(
      commandOf(rule, files),
      { timeout: left, signal: over.signal },
      {
        admit: async () =>
          over.signal.aborted ? isOver() : { format: [...rule.files], allowed: { by: 'policy.yaml' } },
        lands: ({ kind, path }, { exitCode }) =>
          kind === 'file' && wanted.has(path) && exitCode === 0 && !over.signal.aborted,
      },
    )
    const ran = await within(left, running, over)
    if (ran === undefined) return isOver()
    if (ran.exitCode !== 0) throw new Error(failureOf(ran))
    return ran.effects.changes.map(({ path }) => path).filter((path) => wanted.has(path))
  }

  #tell({ rule }: Job, why: string): void {
    const reason = `Not formatted: ${nameOf(rule)}: ${why}`
    if (this.#told.has(reason)) return
    this.#told.add(reason)
    this.deps.inform({ kind: 'format', reason })
  }
}

/** In the order of the rules: a file may be several formatters'. */
function jobsOf(rules: readonly FormatRule[], files: readonly string[]): Job[] {
  return rules.flatMap((rule) => {
    const its = files.filter((path) => rule.matches(path))
    const batches = Array.from({ length: Math.ceil(its.length / BATCH) }, (_, at) => at * BATCH)
    return batches.map((from) => ({ rule, files: its.slice(from, from + BATCH) }))
  })
}

/** The files are words of their own, whatever they are called; a line of the shell may say by "$@" where they go. */
function commandOf({ run }: FormatRule, files: readonly string[]): string[] {
  const words = files.map((path) => `./${path}`)
  if (typeof run !== 'string') return [...run, ...words]
  return ['/bin/sh', '-c', run.includes('$@') ? run : `${run} "$@"`, 'sh', ...words]
}

function nameOf({ run }: FormatRule): string {
  return typeof run === 'string' ? run : run.join(' ')
}

/** Characters of what a formatter said that are told. */
const MAX_SAID = 300

function failureOf({ ended, exitCode, stderr, stdout }: ExecResult): string {
  if (ended !== undefined) return ended === 'timeout' ? 'it took too long' : `it was ended (${ended})`
  return `it ended with ${exitCode}. ${(stderr.trim() || stdout.trim()).slice(0, MAX_SAID)}`.trim()
}

/** Undefined once the time is over; then the run is called off, and what becomes of it is nobody's any more. */
async function within<T>(time: number, running: Promise<T>, over: AbortController): Promise<T | undefined> {
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
