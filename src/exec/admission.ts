import { digest } from '../../overlay/index.js'
import { classifyCommand, lineOf, perilousVariables } from '../command-class/index.js'
import type { ExecOptions, StartOptions } from '../core/api.js'
import { apiErrorOf, EscrowError } from '../core/api-error.js'
import { type Classified, PUBLISHES } from '../core/command-class.js'
import { briefCommand } from '../core/command-text.js'
import { defined } from '../core/defined.js'
import type { Denial } from '../core/denials.js'
import { errorText } from '../core/error-text.js'
import type { SessionQuestions } from '../inbox/index.js'
import { type CommandDecision, judgeCommand, type Policy } from '../policy/index.js'
import type { AnswerRecord } from '../review/index.js'
import type { CommandRecord } from '../stage/index.js'
import { asksPerson } from './network-grant.js'

/** The part of a command's ledger record that says why it may run. */
export type AdmissionRecord = Pick<CommandRecord, 'classes' | 'why' | 'allowed' | 'format'>

/** Classifies a command by its line, and decides by policy, or by asking a person, whether it may run. */
export class SessionAdmission {
  readonly #closing = new AbortController()

  /**
   * @param syncExternal reads the answers that people have given.
   * @param denied records a denial.
   * @param classify finds a command's classes; rejects if it cannot.
   */
  constructor(
    private readonly policy: Pick<Policy, 'settings'>,
    private readonly questions: Pick<SessionQuestions, 'takeCommand' | 'askCommand' | 'waitForAnswers'>,
    private readonly syncExternal: () => unknown,
    private readonly denied: (denial: Denial) => void,
    private readonly classify = classifyCommand,
  ) {}

  /** Ends every wait for a person's answer. */
  close(): void {
    this.#closing.abort()
  }

  /**
   * Resolves when the command may run.
   * @throws EscrowError access_denied; needs_approval if nobody has answered yet: the question stays open.
   */
  async admit(
    command: string | readonly string[],
    options: StartOptions & Pick<ExecOptions, 'signal'>,
    cwd: string,
  ): Promise<AdmissionRecord> {
    refuseOddWords(command)
    refuseOddTimeout(options.timeout)
    const { classified, failure } = await this.#classify(command, options)
    const about = { command: lineOf(command, options), cwd, key: keyOf(command, options, cwd) }
    for (;;) {
      this.syncExternal()
      const decision = this.#judge(classified, options)
      const record = recordOf(classified, failure)
      if (decision.verdict === 'allow') return record
      if (decision.verdict === 'deny')
        throw this.#refuse(deniedBy(truncate(about.command), decision, whyOf(decision, classified, failure)))
      const answer = this.questions.takeCommand(about.key)
      if (answer?.answer === 'deny') throw this.#refuse(refusedBy(truncate(about.command), answer))
      if (answer)
        return { ...record, allowed: { by: answer.by.name, answer: answer.answer, question: answer.question } }
      const why = whyOf(decision, classified, failure)
      this.questions.askCommand({ ...about, rules: decision.rules, why })
      if (!(await this.#waitForAnswer(options.signal)))
        throw this.#refuse(needsApproval(truncate(about.command), decision, why))
    }
  }

  async #classify(command: string | readonly string[], { env }: ExecOptions) {
    try {
      const classified = await this.classify(command)
      const names = perilousVariables(env ?? {})
      return { classified: names.length === 0 ? classified : withVariables(classified, names) }
    } catch (error) {
      return { classified: undefined, failure: errorText(error) }
    }
  }

  #judge(classified: Classified | undefined, options: StartOptions): CommandDecision {
    const settings = this.policy.settings()
    if (settings) return judgeCommand(settings, classified, asksPerson(options, settings.network))
    throw new EscrowError(
      'policy_invalid',
      "No command runs until .orchestration/policy.yaml is valid. 'escrow status' says what is wrong.",
    )
  }

  #refuse(denial: Denial): EscrowError {
    this.denied(denial)
    return apiErrorOf(denial)
  }

  /** True once an approver has answered; false without an approver, or when the wait is aborted. */
  async #waitForAnswer(signal: AbortSignal | undefined): Promise<boolean> {
    const over = AbortSignal.any([this.#closing.signal, ...(signal ? [signal] : [])])
    if (over.aborted) return false
    let end = () => {}
    const ended = new Promise<false>((resolve) => {
      end = () => resolve(false)
      over.addEventListener('abort', end)
    })
    try {
      return await Promise.race([this.questions.waitForAnswers(), ended])
    } finally {
      over.removeEventListener('abort', end)
    }
  }
}

function refuseOddWords(command: string | readonly string[]): void {
  if (command.length === 0 || [command].flat().some((word) => word.includes('\0')))
    throw new EscrowError('unsupported', 'A command needs at least one word, and no word may contain a NUL character.')
}

function refuseOddTimeout(timeout: number | undefined): void {
  if (timeout === undefined || (typeof timeout === 'number' && timeout >= 0)) return
  throw new EscrowError(
    'unsupported',
    `The timeout of a command is a number of milliseconds from 0 on, not ${timeout}.`,
  )
}

/** Largest length of a command line in a denial (characters). A question shows all of it. */
const MAX_SHOWN = 300

function truncate(line: string): string {
  const brief = briefCommand(line)
  return brief.length > MAX_SHOWN ? `${brief.slice(0, MAX_SHOWN)}…` : brief
}

/** The content of a stream is unknown when the question is asked. */
function isStream(stdin: NonNullable<ExecOptions['stdin']>): stdin is NodeJS.ReadableStream {
  return typeof stdin !== 'string' && 'pipe' in stdin
}

/** Equal for commands that run the same program in the same way, so that one answer covers both. */
function keyOf(
  command: string | readonly string[],
  { env, stdin, network, hosts = [] }: StartOptions,
  cwd: string,
): string {
  const input = stdin === undefined ? null : isStream(stdin) ? 'stream' : digest(stdin)
  const variables = Object.entries(env ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  return digest(JSON.stringify([command, cwd, variables, input, network === true, ...hosts]))
}

function withVariables({ classes, why }: Classified, names: readonly string[]): Classified {
  const reasons = names.map((part) => ({ class: 'other', part, because: 'decides which commands run' }) as const)
  const others = classes.filter((each) => each !== 'read-only' && each !== 'other')
  return { classes: [...others, 'other'], why: [...why, ...reasons] }
}

function recordOf(classified: Classified | undefined, failure: string | undefined): AdmissionRecord {
  if (!classified) return { classes: ['other'], why: [`it could not be classified: ${failure ?? ''}`] }
  return { classes: [...classified.classes], why: classified.why.map(describeClass) }
}

function describeClass({ class: name, part, because }: Classified['why'][number]): string {
  return `${name}: ${part} ${because}`
}

/** The parts of the command line that the deciding rules are about. */
function whyOf({ rules }: CommandDecision, classified: Classified | undefined, failure: string | undefined): string {
  if (!classified) return `it could not be classified: ${failure ?? ''}`
  const network = rules.includes('terminal.network') ? ['it asks for the network'] : []
  return [...classified.why.filter((reason) => rules.includes(reason.class)).map(describeClass), ...network].join('; ')
}

const NETWORK_HINT =
  'A person can allow it: `terminal: { network: true }`, or a list of hosts, in .orchestration/policy.yaml.'

function deniedBy(command: string, { rules }: CommandDecision, why: string): Denial {
  if (rules.join() === 'terminal.network')
    return {
      reason: 'access_denied',
      message: 'Access Denied: policy does not allow commands to use the network.',
      hint: NETWORK_HINT,
    }
  return {
    reason: 'access_denied',
    message: `Access Denied: policy does not allow \`${command}\` (${why}).`,
    hint: `A person can change the rule under \`terminal\` in .orchestration/policy.yaml: ${rules.join(', ')}.`,
  }
}

function needsApproval(command: string, { rules }: CommandDecision, why: string): Denial {
  if (why.includes(PUBLISHES))
    return {
      reason: 'needs_approval',
      message: `Needs Approval: \`${command}\` sends commits to another machine, so a person is asked first.`,
      hint: "A person has been asked. Or leave it to them: 'escrow commit --git' makes commits of what they approve, and they push those.",
    }
  return {
    reason: 'needs_approval',
    message: `Needs Approval: ${rules.join(', ')} asks a person before \`${command}\` runs (${why}).`,
    hint: 'A person has been asked. Run it again after the answer, or find another way.',
  }
}

function refusedBy(command: string, { by, words }: AnswerRecord): Denial {
  const message = `Access Denied: ${by.name} does not allow running \`${command}\`.`
  return { reason: 'access_denied', message, ...defined({ hint: words }) }
}
