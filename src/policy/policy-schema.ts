import { z } from 'zod'
import type { GateSettings } from '../core/api.js'
import { COMMAND_CLASSES, type CommandClass } from '../core/command-class.js'
import { defined } from '../core/defined.js'
import { type FormatRule, formatRules, formatSchema } from './format-rules.js'

/** What a rule of `access` or `outside` lets an agent do. `ask`: writes need a person, reads pass. */
export type AccessWord = 'allow' | 'read-only' | 'deny' | 'hidden' | 'ask'

const WORDS = ['allow', 'read-only', 'deny', 'hidden', 'ask'] as const

/** What becomes of a command of a class. */
export type CommandWord = (typeof COMMAND_WORDS)[number]

const COMMAND_WORDS = ['allow', 'ask', 'deny'] as const

const flag = z.boolean({ error: 'true or false is expected' })
const count = z.int({ error: 'a whole number is expected' }).positive({ error: 'a number above 0 is expected' })
const text = z.string({ error: 'a text is expected; put it in quotes' })

export const rulesSchema = z.record(z.string(), z.enum(WORDS, { error: `one of ${WORDS.join(', ')} is expected` }), {
  error: 'a map of path to rule is expected',
})

function section<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, { error: 'a map is expected' }).partial()
}

function oneOf<const T extends readonly string[]>(...words: T) {
  return z.enum(words, { error: `one of ${words.join(', ')} is expected` })
}

function isPlain(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

const byHand = oneOf('manual', 'auto')

/** Every key of policy.yaml. */
export const policySchema = z
  .strictObject(
    {
      access: rulesSchema.nullable(),
      outside: rulesSchema.nullable(),
      protected: z.array(text, { error: 'a list of globs is expected' }).nullable(),
      approval: section({
        mode: byHand,
        merge: byHand,
        lessons: byHand,
        modal: oneOf('ask', 'all'),
        by: oneOf('any', 'person'),
      }),
      locks: section({ require_read: flag, strict: flag }),
      gate: section({ tools: oneOf('destructive', 'all'), require_mutation_class: flag, breaker: count }),
      claims: oneOf('warn', 'refuse'),
      limits: section({ files: count, bytes: count, ops_per_minute: count, undo_commits: count }),
      terminal: section({
        classes: z.partialRecord(z.enum(COMMAND_CLASSES), oneOf(...COMMAND_WORDS), {
          error: `a map of ${COMMAND_CLASSES.join(', ')} to ${COMMAND_WORDS.join(', ')} is expected`,
        }),
        network: z.union([z.boolean(), z.literal('ask')], { error: 'true, false or ask is expected' }),
        isolation_none: flag,
      }),
      format: formatSchema,
      lessons_file: text.refine(isPlain, { error: 'a path below the root is expected, without `..`' }),
    },
    { error: 'a map is expected' },
  )
  .partial()

/** What policy.yaml sets, beside the rules for paths. */
export interface Settings {
  /** `locks.require_read`: a file the agent never read is not overwritten. */
  readonly requireRead: boolean
  /** `locks.strict`: commits close the last window for a save by another program, whatever they are asked for. */
  readonly strict: boolean
  /** `approval.merge: auto`: an approved change that merges cleanly with what the disk holds now stays approved. */
  readonly mergesUnasked: boolean
  /** `approval.by: person`: who decides by a command sits at a terminal, or holds a reviewer's key. */
  readonly approvedBy: 'any' | 'person'
  /** `approval.lessons: auto`: lessons go straight to their file. */
  readonly appendsLessons: boolean
  /** Where lessons go, if not to CLAUDE.md or AGENTS.md: a path relative to the root. */
  readonly lessonsFile?: string
  readonly limits: Limits
  /** `limits.undo_commits`: how many of the latest commits can be undone. */
  readonly undoCommits: number
  /** `terminal.isolation_none`: where commands cannot be contained they run on a copy, held in by nothing. */
  readonly isolationNone: boolean
  /** `terminal.network`: a command that asks for the network has it, or a person is asked. */
  readonly network: boolean | 'ask'
  /** `terminal.classes`. */
  readonly classes: Readonly<Partial<Record<CommandClass, CommandWord>>>
  /** `format`: what runs on the files a tool call wrote. */
  readonly format: readonly FormatRule[]
  /** For tool calls that come by hooks. */
  readonly gate: GateSettings
  /** What happens when a session selects an intent whose scope another one holds. */
  readonly claims: 'warn' | 'refuse'
}

/** Of one session. Nothing: no limit. */
export interface Limits {
  /** Paths staged and not yet committed. */
  readonly files?: number
  /** Bytes of their content. */
  readonly bytes?: number
  /** Paths written within a minute. */
  readonly opsPerMinute?: number
}

export function settingsOf(policy: z.infer<typeof policySchema>): Settings {
  const { files, bytes, ops_per_minute: opsPerMinute } = policy.limits ?? {}
  return {
    requireRead: policy.locks?.require_read ?? false,
    strict: policy.locks?.strict ?? false,
    mergesUnasked: policy.approval?.merge === 'auto',
    approvedBy: policy.approval?.by ?? 'any',
    appendsLessons: policy.approval?.lessons === 'auto',
    ...defined({ lessonsFile: policy.lessons_file }),
    undoCommits: policy.limits?.undo_commits ?? 100,
    claims: policy.claims ?? 'warn',
    network: policy.terminal?.network ?? false,
    isolationNone: policy.terminal?.isolation_none ?? false,
    classes: policy.terminal?.classes ?? {},
    format: formatRules(policy.format),
    gate: {
      tools: policy.gate?.tools ?? 'destructive',
      breaker: policy.gate?.breaker ?? 3,
      modal: policy.approval?.modal ?? 'ask',
      requireMutationClass: policy.gate?.require_mutation_class ?? false,
    },
    limits: {
      ...defined({ files, bytes, opsPerMinute }),
    },
  }
}

/** Of a policy.yaml that says nothing. */
export const UNSET = settingsOf({})

/**
 * Settings no room obeys yet, each with the value everything behaves by now. Any other value is refused: a setting
 * that is read and then ignored would be a promise broken in silence. No value: the key must stay away.
 */
export const NOT_YET: readonly (readonly [path: readonly string[], current?: unknown])[] = [
  [['approval', 'mode'], 'manual'],
]
