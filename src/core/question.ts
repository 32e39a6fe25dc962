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
}

/** An `ask` rule of policy.yaml refused a write. */
export interface AccessQuestion extends Asked {
  readonly kind: 'access'
  readonly intentId?: string
  readonly path: string
  /** The rule's path or glob, as the file has it. */
  readonly rule: string
}

/** An `ask` of `terminal` in policy.yaml refused a command. */
export interface CommandQuestion extends Asked {
  readonly kind: 'command'
  readonly intentId?: string
  /** The command line, with the names of the variables that it is given. */
  readonly command: string
  /** The working directory, relative to the root; '' is the root. */
  readonly cwd: string
  /** The classes that need an answer, and `terminal.network` where that does. */
  readonly rules: readonly (CommandClass | 'terminal.network')[]
  /** Why the command is in these classes, as text. */
  readonly why: string
  /** The same for the same command, directory, variables and input. */
  readonly key: string
}

/**
 * To a scope question, `allow` adds the globs to the intent and `deny` does not. To an access question, `allow` lets the path be
 * written from now on, `subtree` everything in its directory, `once` the path for the tool call that uses it (outside of a call:
 * until the session next reads the review log); `deny` refuses it until another answer. To a command question, `allow` and
 * `deny` apply to the same command until another answer, `once` to one run.
 */
export type AnswerWord = 'allow' | 'once' | 'subtree' | 'deny'

/** A person's answer to a question. */
export interface Answer {
  readonly answer: AnswerWord
  /** Text for the agent; required with `deny`. */
  readonly words?: string
  readonly by?: Reviewer
  /**
   * Also writes the answer into policy.yaml, for every session. To an access question: `allow` becomes an `allow` rule for the
   * path, `subtree` one for its directory, `deny` a `read-only` rule for the path. To a command question: `allow` or `deny`
   * becomes the value of the rules that asked.
   */
  readonly remember?: boolean
}

/** Answers questions as they come up. Resolve to undefined for no answer: the question stays open for a person. */
export type Approver = (question: Question) => Promise<Answer | undefined>
