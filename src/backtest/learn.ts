import { posix } from 'node:path'
import type { CommandClass } from '../core/command-class.js'
import { protection } from '../policy/index.js'
import type { ReplayedCall } from './replay.js'
import { touchedBy, writtenInside } from './touched.js'

/** Rules that would have asked less often, learned from a part of a history. */
export interface Learned {
  /** Classes of commands that need not ask. */
  readonly classes: readonly CommandClass[]
  /** Directories whose files need not ask. */
  readonly access: readonly string[]
  /** Globs of the paths that sessions changed. */
  readonly scope: readonly string[]
}

/** Classes whose commands only change what the review shows. Deletions and the network are never proposed. */
const OPENABLE = ['read-only', 'write', 'build-test', 'other'] as const satisfies readonly CommandClass[]

/** A directory is proposed if this many questions were about it, and in scope if this many sessions changed it. */
const MIN_QUESTIONS = 3
const MIN_SESSIONS = 2

/**
 * Learns from replayed calls. It proposes no rule that would have let one of them reach anything that the risk facts
 * name.
 */
export class Learner {
  /** Rules that asked. */
  readonly #asked = new Set<string>()
  /** Classes of commands that named a secret, a place outside, or a file that runs code. */
  readonly #risky = new Set<CommandClass>()
  readonly #questions = new Map<string, number>()
  readonly #sessions = new Map<string, Set<string>>()

  add(replayed: ReplayedCall): void {
    const { outcome, rule, classified, call, recorded } = replayed
    const { secrets, outside } = touchedBy(replayed)
    const files = outcome === 'refused' && rule !== 'scope' && rule !== 'intent' ? [] : writtenInside(call)
    const isRisky = secrets.length > 0 || outside.length > 0 || files.some(isSensitive)
    if (classified !== undefined) {
      if (isRisky || namesSensitive(call.command ?? '')) for (const each of classified.classes) this.#risky.add(each)
      if (outcome === 'asked') for (const each of (rule ?? '').split(', ')) this.#asked.add(each)
      return
    }
    for (const path of files) {
      const directory = topOf(path)
      const sessions = this.#sessions.get(directory) ?? new Set()
      this.#sessions.set(directory, sessions.add(`${recorded.host} ${recorded.session}`))
      if (outcome !== 'asked' || rule !== 'access') continue
      const parent = posix.dirname(path)
      this.#questions.set(parent, (this.#questions.get(parent) ?? 0) + 1)
    }
  }

  learned(): Learned {
    const access = [...this.#questions].flatMap(([directory, count]) =>
      count >= MIN_QUESTIONS && directory !== '.' && !isSensitive(directory) && !GLOB.test(directory)
        ? [directory]
        : [],
    )
    const scope = [...this.#sessions].flatMap(([directory, { size }]) =>
      size < MIN_SESSIONS || isSensitive(directory) ? [] : [globOf(directory)],
    )
    return {
      classes: OPENABLE.filter((each) => this.#asked.has(each) && !this.#risky.has(each)),
      access: access.filter((each) => !access.some((other) => each.startsWith(`${other}/`))).sort(),
      scope: scope.sort(),
    }
  }
}

/** The first directory of a path, with a slash; the file's own name at the root. */
function topOf(path: string): string {
  const at = path.indexOf('/')
  return at < 0 ? path : path.slice(0, at + 1)
}

/** Characters that a rule would read as a pattern. */
const GLOB = /[\\*?[\]{}()!]/

/** A glob that matches exactly the characters of a name. */
function globOf(top: string): string {
  const plain = top.replace(new RegExp(GLOB.source, 'g'), '?')
  return top.endsWith('/') ? `${plain}**` : plain
}

/** Files that run code or decide what runs: hooks, settings of CI and of agents. */
function isSensitive(path: string): boolean {
  return protection(path) !== undefined || CI.test(path)
}

const CI =
  /(?:^|\/)(?:\.github|\.gitlab|\.circleci|\.husky|\.buildkite)(?:\/|$)|(?:^|\/)(?:\.gitlab-ci\.yml|Jenkinsfile|azure-pipelines\.yml)$/i

function namesSensitive(command: string): boolean {
  return command.split(/[\s'"`;|&<>()=]+/).some((word) => CI.test(word) || /(?:^|\/)\.git\/hooks(?:\/|$)/.test(word))
}
