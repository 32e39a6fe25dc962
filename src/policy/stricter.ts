import { isDeepStrictEqual } from 'node:util'
import { COMMAND_CLASSES } from '../core/command-class.js'
import { defined } from '../core/defined.js'
import { verdictFor } from './command-rules.js'
import type { OutsidePlace, PolicyRules } from './policy-read.js'
import type { CommandVerdict } from './policy-schema.js'
import type { Limits, Settings } from './settings.js'

/**
 * The rules that apply while policy.yaml differs from the accepted copy: the stricter of both. Path rules are not merged, because which
 * table is stricter depends on the path; both are checked, and the first denial applies.
 */
export function stricterRules(file: PolicyRules, accepted: PolicyRules): PolicyRules {
  return {
    ...file,
    hides: file.hides || accepted.hides,
    closes: file.closes || accepted.closes,
    outside: {
      find: file.outside.find,
      covers: file.outside.covers,
      places: () => stricterPlaces(file, accepted),
    },
    settings: stricterSettings(file.settings, accepted.settings),
    accepted,
  }
}

const CLOSED: ReadonlySet<string> = new Set(['deny', 'hidden'])

/** A place is open to commands only if both open it. */
function stricterPlaces(file: PolicyRules, accepted: PolicyRules): OutsidePlace[] {
  const isOpenBy = (rules: PolicyRules, path: string) => {
    const mode = rules.outside.find(path)?.value
    return mode !== undefined && !CLOSED.has(mode)
  }
  const of = (rules: PolicyRules, other: PolicyRules) =>
    rules.outside.places().filter(({ path, word }) => CLOSED.has(word) || isOpenBy(other, path))
  return [...of(file, accepted), ...of(accepted, file)]
}

function stricterSettings(file: Settings, accepted: Settings): Settings {
  const { lessonsFile, git } = accepted
  // A release needs the rules that a person accepted, and none that the file no longer has.
  const release = isDeepStrictEqual(file.release, accepted.release) ? accepted.release : undefined
  return {
    requireRead: file.requireRead || accepted.requireRead,
    strict: file.strict || accepted.strict,
    autoMerge: file.autoMerge && accepted.autoMerge,
    approvedBy: file.approvedBy === 'person' ? 'person' : accepted.approvedBy,
    autoLessons: file.autoLessons && accepted.autoLessons,
    ...defined({ lessonsFile, git, release }),
    undoCommits: Math.max(file.undoCommits, accepted.undoCommits),
    checklist: file.checklist === 'required' ? 'required' : accepted.checklist,
    claims: file.claims === 'refuse' ? 'refuse' : accepted.claims,
    network: stricterNetwork(file.network, accepted.network),
    isolationNone: file.isolationNone && accepted.isolationNone,
    require: [...new Set([...file.require, ...accepted.require])],
    classes: stricterClasses(file.classes, accepted.classes),
    // A formatter is a program: it runs only as accepted, and only while the file still has it.
    format: accepted.format.filter((rule) => file.format.some((each) => isSameFormat(each, rule))),
    gate: {
      tools: file.gate.tools === 'all' ? 'all' : accepted.gate.tools,
      breaker: Math.min(file.gate.breaker, accepted.gate.breaker),
      modal: file.gate.modal === 'all' ? 'all' : accepted.gate.modal,
      requireMutationClass: file.gate.requireMutationClass || accepted.gate.requireMutationClass,
    },
    limits: stricterLimits(file.limits, accepted.limits),
  }
}

type Format = Settings['format'][number]

function isSameFormat(one: Format, other: Format): boolean {
  return isDeepStrictEqual([one.files, one.run], [other.files, other.run])
}

function stricterNetwork(one: Settings['network'], other: Settings['network']): Settings['network'] {
  if (one === false || other === false) return false
  if (one === 'ask' || other === 'ask') return 'ask'
  if (one === true) return other
  return other === true ? one : one.filter((entry) => other.includes(entry))
}

function stricterClasses(file: Settings['classes'], accepted: Settings['classes']): Settings['classes'] {
  const changes = COMMAND_CLASSES.map((each) => {
    const both: CommandVerdict[] = [verdictFor(each, file), verdictFor(each, accepted)]
    return [each, both.includes('deny') ? 'deny' : both.includes('ask') ? 'ask' : 'allow'] as const
  })
  return Object.fromEntries(changes)
}

function stricterLimits(file: Limits, accepted: Limits): Limits {
  const limits: { -readonly [K in keyof Limits]: Limits[K] } = {}
  for (const key of ['files', 'bytes', 'opsPerMinute'] as const) {
    const both = [file[key], accepted[key]].filter((limit) => limit !== undefined)
    if (both.length > 0) limits[key] = Math.min(...both)
  }
  return limits
}
