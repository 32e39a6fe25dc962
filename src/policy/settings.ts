import type { GateSettings } from '../core/api.js'
import type { CommandClass } from '../core/command-class.js'
import type { GitCommitPer } from '../core/commit-api.js'
import { defined } from '../core/defined.js'
import { DEFAULT_REQUIRED, type Protection } from '../core/protection.js'
import type { ReleaseRequirement, ReleaseRules } from '../core/release-api.js'
import { type FormatRule, formatRules } from './format-rules.js'
import type { CommandVerdict, PolicyFile } from './policy-schema.js'

/** The settings of policy.yaml, other than rules for paths. */
export interface Settings {
  /** `locks.require_read`: the agent may overwrite only files it has read. */
  readonly requireRead: boolean
  /** `locks.strict`: every commit closes the last window for a concurrent save by another program. */
  readonly strict: boolean
  /** `approval.merge: auto`: an approved change that merges cleanly with the disk stays approved. */
  readonly autoMerge: boolean
  /** `approval.by: person`: a reviewer must be at a terminal or hold a reviewer's key. */
  readonly approvedBy: 'any' | 'person'
  /** `approval.lessons: auto`: lessons are appended to their file without a review. */
  readonly autoLessons: boolean
  /** The file for lessons, relative to the root; CLAUDE.md or AGENTS.md by default. */
  readonly lessonsFile?: string
  readonly limits: Limits
  /** `limits.undo_commits`: number of latest commits that can be undone. */
  readonly undoCommits: number
  /** `approval.auto`: changes that are approved without a person. */
  readonly release?: ReleaseRules
  /** `commit.git`: every commit also becomes git commits, by `commit.per`. */
  readonly git?: { readonly per: GitCommitPer }
  /** `commit.checklist`: whether a commit needs a tick on each acceptance sentence. */
  readonly checklist: 'required' | 'shown'
  /** `terminal.isolation_none`: where commands cannot be contained they run on a copy, without containment. */
  readonly isolationNone: boolean
  /** `terminal.require`: the protections that the containment of a command must have. */
  readonly require: readonly Protection[]
  /** `terminal.network`: whether a command that asks for the network gets it, a person is asked, or which hosts it gets. */
  readonly network: boolean | 'ask' | readonly string[]
  /** `terminal.classes`. */
  readonly classes: Readonly<Partial<Record<CommandClass, CommandVerdict>>>
  /** `format`: formatters for the files that a tool call wrote. */
  readonly format: readonly FormatRule[]
  /** Settings for tool calls that come by hooks. */
  readonly gate: GateSettings
  /** The reaction to a session that selects an intent whose scope overlaps with another session's. */
  readonly claims: 'warn' | 'refuse'
}

/** Limits of one session; an absent one means no limit. */
export interface Limits {
  /** Paths staged and not yet committed. */
  readonly files?: number
  /** Bytes of their content. */
  readonly bytes?: number
  /** Paths written within a minute. */
  readonly opsPerMinute?: number
}

export function settingsOf(policy: PolicyFile): Settings {
  const { files, bytes, ops_per_minute: opsPerMinute } = policy.limits ?? {}
  return {
    requireRead: policy.locks?.require_read ?? false,
    strict: policy.locks?.strict ?? false,
    autoMerge: policy.approval?.merge === 'auto',
    approvedBy: policy.approval?.by ?? 'any',
    autoLessons: policy.approval?.lessons === 'auto',
    ...defined({ lessonsFile: policy.lessons_file }),
    undoCommits: policy.limits?.undo_commits ?? 100,
    ...defined({ release: releaseRules(policy) }),
    ...(policy.commit?.git === true && { git: { per: policy.commit.per ?? 'all' } }),
    checklist: policy.commit?.checklist ?? 'shown',
    claims: policy.claims ?? 'warn',
    network: policy.terminal?.network ?? false,
    isolationNone: policy.terminal?.isolation_none ?? false,
    require: policy.terminal?.require ?? DEFAULT_REQUIRED,
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

const EVERYTHING: readonly ReleaseRequirement[] = ['checks', 'no_dependency', 'no_mode', 'no_link', 'no_binary']

/** Undefined without a tier. A tier that names no requirement has all of them. */
function releaseRules({ approval }: PolicyFile): ReleaseRules | undefined {
  const { tiers = [], never = [] } = approval?.auto ?? {}
  if (tiers.length === 0) return undefined
  return {
    tiers: tiers.map(({ max_files: maxFiles, max_lines: maxLines, requires = EVERYTHING, hold = 0, ...tier }) => {
      const { name, paths, classes } = tier
      return { name, paths, classes, maxFiles, maxLines, requires, hold }
    }),
    never,
  }
}

/** The settings of an empty policy.yaml. */
export const DEFAULT_SETTINGS = settingsOf({})

/**
 * Settings that have a single value in this version; without one, the key must be absent. Any other value is refused, because
 * ignoring it would mislead.
 */
export const UNSUPPORTED_SETTINGS: readonly (readonly [path: readonly string[], current?: unknown])[] = [
  [['approval', 'mode'], 'manual'],
]
