import { type HostCall, hostCallOf, type Ruling, ruleOnCall } from '../agents/history/index.js'
import { classifyCommand, classifyGitEffects } from '../command-class/index.js'
import type { Classified } from '../core/command-class.js'
import { defined } from '../core/defined.js'
import type { Denial } from '../core/denials.js'
import { openReplayJudges, REPLAY_ROOT, type ReplayJudges, type ReplayRules } from '../judge/index.js'
import { judgeCommand } from '../policy/index.js'
import { Places, plainDirectory, plainInput } from './places.js'
import type { RecordedCall } from './recorded.js'

export const OUTCOMES = ['allowed', 'staged', 'asked', 'refused'] as const
/**
 * `allowed`: it changes nothing, or only the session's own `.git`. `staged`: it would wait for the review. `asked`: a person is asked
 * first. `refused`: it would not have run, or its change of a repository would have been dropped.
 */
export type Outcome = (typeof OUTCOMES)[number]

/** A recorded call, as the rules decide about it. */
export interface ReplayedCall {
  readonly recorded: RecordedCall
  /** The call as the adapter reads it, with the paths of the replay. */
  readonly call: HostCall
  readonly outcome: Outcome
  /** For `asked` and `refused`: what decided, such as `destructive` or `secrets`. */
  readonly rule?: string
  readonly denial?: Pick<Denial, 'reason' | 'message' | 'file'>
  readonly classified?: Classified
}

/** Decisions and classes of this many different calls are remembered. */
const MAX_REMEMBERED = 20_000

/** The workspace of a command, and the directory it ran in, as recorded. */
interface CommandPlaces {
  readonly root: string
  readonly cwd: string
}

/** A command may run that changes a repository's own files; at its end these changes are dropped. */
const DROPPED = {
  reason: 'protected_path',
  message: "The command runs, and its changes of a repository's own files are dropped.",
  file: `${REPLAY_ROOT}/.git`,
} as const satisfies ReplayedCall['denial']

function namesGit({ command }: HostCall): boolean {
  return command !== undefined && /\bgit\b/.test(command)
}

/** Replays recorded calls through the decision path of live ones, and runs nothing. */
export class Replay {
  readonly #judges: ReplayJudges
  readonly #classes = new Map<string, Classified>()
  readonly #decided = new Map<string, Omit<ReplayedCall, 'recorded'>>()
  readonly #places = new Map<string, Places>()

  /** @throws EscrowError `policy_invalid` for rules that cannot be read */
  constructor(rules: ReplayRules) {
    this.#judges = openReplayJudges(rules, (command) => this.#classify(command))
  }

  /** `terminal.network`: what commands that need the network get. */
  get network(): boolean | 'ask' | readonly string[] {
    return this.#judges.policy.settings()?.network ?? false
  }

  /** The directory that the call's session began in. */
  directoryOf(recorded: RecordedCall): string {
    return this.#placesOf(recorded).root
  }

  async decide(recorded: RecordedCall): Promise<ReplayedCall> {
    const { host, tool } = recorded
    const cwd = plainDirectory(recorded.cwd)
    const places = this.#placesOf(recorded)
    const input = plainInput(recorded.input, recorded.cwd)
    const read = hostCallOf(host, { tool, input, cwd, ...defined({ server: recorded.server }) })
    const call = places.map(read)
    // Relative paths of a command begin at its directory.
    const key = namesGit(call) ? JSON.stringify([call, cwd, places.root]) : JSON.stringify(call)
    const known = this.#decided.get(key)
    const decided = known ?? (await this.#judge(call, { root: places.root, cwd }))
    if (!known) remember(this.#decided, key, decided)
    return { recorded, ...decided }
  }

  /** A session's first directory is its workspace. */
  #placesOf({ host, session, cwd }: RecordedCall): Places {
    const key = `${host}\0${session}`
    const known = this.#places.get(key)
    if (known) return known
    const places = new Places(plainDirectory(cwd))
    this.#places.set(key, places)
    return places
  }

  async #judge(call: HostCall, at: CommandPlaces): Promise<Omit<ReplayedCall, 'recorded'>> {
    const { intents } = this.#judges
    let first: Ruling | undefined
    let intent: string | undefined
    // An agent selects the intent that its work belongs to, so the call counts as allowed if one of them allows it.
    for (const each of intents.length === 0 ? [undefined] : intents) {
      const ruling = await ruleOnCall(this.#judges.judge(each), call, { isStaged: true, canContain: true })
      if (ruling.kind === 'pass') return this.#passed(call, at)
      if (first === undefined || isNearer(ruling, first)) [first, intent] = [ruling, each]
    }
    return this.#stopped(call, first, intent)
  }

  async #passed(call: HostCall, at: CommandPlaces): Promise<Omit<ReplayedCall, 'recorded'>> {
    const { command } = call
    if (command === undefined) return { call, outcome: call.class === 'write' ? 'staged' : 'allowed' }
    const classified = await this.#classify(command)
    if (isReadOnly(classified)) return { call, outcome: 'allowed', classified }
    if (!namesGit(call)) return { call, outcome: 'staged', classified }
    const effects = await classifyGitEffects(command, at)
    if (effects.has('refused')) return { call, outcome: 'refused', rule: 'protected', denial: DROPPED, classified }
    return { call, outcome: effects.has('other') ? 'staged' : 'allowed', classified }
  }

  async #stopped(call: HostCall, ruling: Ruling | undefined, intent: string | undefined) {
    const classified = call.command === undefined ? undefined : await this.#classify(call.command)
    const more = defined({ classified })
    if (ruling?.kind !== 'refuse') return { call, outcome: 'asked', rule: 'approval.modal', ...more } as const
    const { denial } = ruling
    const outcome: Outcome = denial.reason === 'needs_approval' ? 'asked' : 'refused'
    const rule = this.#ruleOf(call, denial, intent, classified)
    return { call, outcome, rule, denial, ...more }
  }

  /** The rule that decided, by its name; the reason of the denial if no rule of policy decided. */
  #ruleOf(
    { command, writes = [], reads = [] }: HostCall,
    denial: Denial,
    intent: string | undefined,
    classified?: Classified,
  ) {
    const settings = this.#judges.policy.settings()
    if (command !== undefined && classified !== undefined && settings) {
      const { verdict, rules } = judgeCommand(settings, classified, false)
      if (verdict !== 'allow') return rules.join(', ')
    }
    const judge = this.#judges.judge(intent)
    const accesses = [
      ...writes.map(({ path, effect }) => [path, effect === 'remove' ? 'remove' : 'write'] as const),
      ...reads.map((path) => [path, 'read'] as const),
    ]
    for (const [path, op] of accesses) {
      const denied = judge.explain(path, op).rules.find(({ verdict }) => verdict === 'deny')
      if (denied) return denied.rule
    }
    return denial.reason
  }

  async #classify(command: string | readonly string[]): Promise<Classified> {
    const key = typeof command === 'string' ? command : JSON.stringify(command)
    const known = this.#classes.get(key)
    const classified = known ?? (await classifyCommand(command))
    if (!known) remember(this.#classes, key, classified)
    return classified
  }
}

function isReadOnly({ classes }: Classified): boolean {
  return classes.every((each) => each === 'read-only')
}

/** A question is closer to a permission than a refusal is. */
function isNearer(ruling: Ruling, than: Ruling): boolean {
  const isQuestion = (each: Ruling) => each.kind === 'refuse' && each.denial.reason === 'needs_approval'
  return isQuestion(ruling) && !isQuestion(than)
}

function remember<V>(map: Map<string, V>, key: string, value: V): void {
  if (map.size >= MAX_REMEMBERED) map.clear()
  map.set(key, value)
}
