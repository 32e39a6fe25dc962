import type { CommandClass } from './command-class.js'
import type { Reviewer } from './people.js'

/** A question of an agent that needs a person's answer. */
export type Question = ScopeQuestion | AccessQuestion | CommandQuestion

interface Asked {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
}

/** The agent asks for more paths in its intent's scope. */
export interface ScopeQuestion extends Asked {
  readonly kind: 'scope'
  readonly intentId: string
  readonly globs: string[]
  readonly why: string
  /** The files that the wider scope would add. Only a person's review has it. */
  readonly reach?: ScopeReach
}

/** Files that a wider scope would let an agent change. */
export type ScopeReach = {
  /** The number of files that the wider scope adds. */
  readonly files: number
  /** Set if there are too many files to count. */
  readonly atLeast?: true
  /** The paths of some of these files. */
  readonly examples: string[]
  /** The files that can run code, each with the reason. */
  readonly running: string[]
}

/** An `ask` rule of policy.yaml refused a write. */
export interface AccessQuestion extends Asked {
  readonly kind: 'access'
  readonly intentId?: string
  readonly path: string
  /** The rule's path or glob, as in the file. */
  readonly rule: string
}

/** An `ask` of `terminal` in policy.yaml refused a command. */
export interface CommandQuestion extends Asked {
  readonly kind: 'command'
  readonly intentId?: string
  /** The command line, with the names of the variables that the call sets. */
  readonly command: string
  /** The working directory, relative to the root; '' is the root. */
  readonly cwd: string
  /** The classes that need an answer, and `terminal.network` if the network does. */
  readonly rules: readonly (CommandClass | 'terminal.network')[]
  /** Why the command is in these classes, as text. */
  readonly why: string
  /** The identity of the command. Equal for the same command, directory, variables and input. */
  readonly key: string
}

/**
 * The kind of an answer. For a scope question, `allow` adds the globs to the intent, and `deny` does not. For an access question,
 * `allow` permits writes of the path from now on, `subtree` writes of everything in its directory, and `once` writes of the path in the
 * tool call that uses the answer (outside a call: until the session next reads the review log). `deny` refuses the path until another
 * answer. For a command question, `allow` and `deny` apply to the same command until another answer, and `once` to one run.
 */
export type AnswerWord = 'allow' | 'once' | 'subtree' | 'deny'

/** A person's answer to a question. */
export interface Answer {
  readonly answer: AnswerWord
  /** Text for the agent; required with `deny`. */
  readonly words?: string | undefined
  readonly by?: Reviewer | undefined
  /**
   * Also writes the answer into policy.yaml, for every session. For an access question, `allow` becomes an `allow` rule for the
   * path, `subtree` one for its directory, and `deny` a `read-only` rule for the path. For a command question, `allow` or `deny`
   * becomes the value of the rules that asked.
   */
  readonly remember?: boolean | undefined
}

/** Answers new questions. If it resolves to undefined, the question stays open for a person. */
export type Approver = (question: Question) => Promise<Answer | undefined>
