import { z } from 'zod'
import { isHostEntry } from '../core/allowed-hosts.js'
import { COMMAND_CLASSES } from '../core/command-class.js'
import { globProblem } from '../core/globs.js'
import { PROTECTION_NAMES } from '../core/protection.js'

/** The access that a rule of `access` or `outside` gives an agent. `ask`: writes need a person, reads pass. */
export type AccessMode = 'allow' | 'read-only' | 'deny' | 'hidden' | 'ask'

const ACCESS_MODES = ['allow', 'read-only', 'deny', 'hidden', 'ask'] as const

/** The verdict on a class of commands. */
export type CommandVerdict = (typeof COMMAND_VERDICTS)[number]

const COMMAND_VERDICTS = ['allow', 'ask', 'deny'] as const

const flag = z.boolean({ error: 'true or false is expected' })
const count = z.int({ error: 'a whole number is expected' }).positive({ error: 'a number above 0 is expected' })
const text = z.string({ error: 'a text is expected; put it in quotes' })

export const rulesSchema = z.record(
  z.string(),
  z.enum(ACCESS_MODES, { error: `one of ${ACCESS_MODES.join(', ')} is expected` }),
  {
    error: 'a map of path to rule is expected',
  },
)

function section<T extends z.ZodRawShape>(shape: T) {
  return z.strictObject(shape, { error: 'a map is expected' }).partial()
}

function oneOf<const T extends readonly string[]>(...values: T) {
  return z.enum(values, { error: `one of ${values.join(', ')} is expected` })
}

function isPlain(path: string): boolean {
  return path.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..')
}

const commandText = z
  .string({ error: 'a text is expected; put it in quotes' })
  .min(1, { error: 'a command is expected' })
const formatter = z.union([commandText, z.array(commandText).min(1, { error: 'a command is expected' })], {
  error: 'a command is expected: a text, or a list of its words',
})
const globs = z.union([commandText, z.array(commandText)], { error: 'a glob, or a list of globs, is expected' })

/** `format`: a map of glob to command, or a list where the order matters. */
const formatSchema = z.union(
  [z.record(z.string(), formatter), z.array(z.strictObject({ files: globs, run: formatter }))],
  { error: 'a map of glob to command is expected, or a list of { files, run }' },
)

export type FormatSection = z.infer<typeof formatSchema>

const manualOrAuto = oneOf('manual', 'auto')

const releaseGlobs = z.array(
  commandText.refine((glob) => !glob.startsWith('!') && globProblem(glob) === undefined, {
    error: 'a glob without `!` is expected',
  }),
  { error: 'a list of globs is expected' },
)

/** A tier of `approval.auto`: a release by rule. */
const tier = z.strictObject(
  {
    name: z
      .string({ error: 'a name is expected' })
      .regex(/^[\w-]{1,40}$/, { error: 'a name of letters, digits, _ and - is expected' }),
    paths: releaseGlobs.min(1, { error: 'a list of globs is expected' }),
    classes: z
      .array(oneOf('formatting', 'refactor', 'documentation', 'tests', 'any'))
      .min(1, { error: 'a list of classes is expected' }),
    max_files: count,
    max_lines: count,
    requires: z.array(oneOf('checks', 'no_dependency', 'no_mode', 'no_link', 'no_binary')).optional(),
    hold: z
      .int()
      .min(0, { error: 'minutes are expected' })
      .max(7 * 24 * 60, { error: 'at most a week is expected' })
      .optional(),
  },
  { error: 'a tier is a map with name, paths, classes, max_files and max_lines' },
)

/** A host, or a word for several (see src/exec/network-grant.ts). */
const networkEntry = z.string().refine((entry) => entry === 'registry' || entry === 'provider' || isHostEntry(entry), {
  error: 'a host is expected: example.com, *.example.com, example.com:8443, registry or provider',
})

/** Every key of policy.yaml. */
export const policySchema = z
  .strictObject(
    {
      access: rulesSchema.nullable(),
      outside: rulesSchema.nullable(),
      protected: z.array(text, { error: 'a list of globs is expected' }).nullable(),
      approval: section({
        mode: manualOrAuto,
        merge: manualOrAuto,
        lessons: manualOrAuto,
        modal: oneOf('ask', 'all'),
        by: oneOf('any', 'person'),
        auto: section({ tiers: z.array(tier, { error: 'a list of tiers is expected' }), never: releaseGlobs }),
      }),
      locks: section({ require_read: flag, strict: flag }),
      gate: section({ tools: oneOf('destructive', 'all'), require_mutation_class: flag, breaker: count }),
      claims: oneOf('warn', 'refuse'),
      limits: section({ files: count, bytes: count, ops_per_minute: count, undo_commits: count }),
      terminal: section({
        classes: z.partialRecord(z.enum(COMMAND_CLASSES), oneOf(...COMMAND_VERDICTS), {
          error: `a map of ${COMMAND_CLASSES.join(', ')} to ${COMMAND_VERDICTS.join(', ')} is expected`,
        }),
        network: z.union([z.boolean(), z.literal('ask'), z.array(networkEntry)], {
          error: 'true, false, ask or a list of hosts is expected',
        }),
        isolation_none: flag,
        require: z.array(oneOf(...PROTECTION_NAMES), { error: `a list of ${PROTECTION_NAMES.join(', ')} is expected` }),
      }),
      commit: section({
        git: flag,
        per: oneOf('all', 'intent', 'step', 'proposal'),
        checklist: oneOf('required', 'shown'),
      }),
      format: formatSchema,
      lessons_file: text.refine(isPlain, { error: 'a path below the root is expected, without `..`' }),
    },
    { error: 'a map is expected' },
  )
  .partial()

export type PolicyFile = z.infer<typeof policySchema>
