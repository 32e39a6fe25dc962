import type { CommandClass } from './command-class.js'
import type { Reviewer } from './people.js'

/** What an agent needs a person's word on. */
export type Question = ScopeQuestion | AccessQuestion | CommandQuestion

interface Asked {
  readonly id: string
  /** ISO 8601. */
  readonly at: string
}

/** It asks for more paths in its intent's scope. */
export interface ScopeQuestion extends Asked {
  readonly kind: 'scope'
  readonly intentId: string
  readonly globs: string[]
  readonly why: string
}

/** It was refused a write by an `ask` rule of policy.yaml. */
export interface AccessQuestion extends Asked {
  readonly kind: 'access'
  readonly intentId?: string
  readonly path: string
  /** The rule's path or glob, as the file has it. */
  readonly rule: string
}

/** It was refused a command by an `ask` of `terminal` in policy.yaml. */
export interface CommandQuestion extends Asked {
  readonly kind: 'command'
  readonly intentId?: string
  /** As a line of the shell, with the names of variables it is given. */
  readonly command: string
  /** Where it starts, relative to the root; '' is the root. */
  readonly cwd: string
  /** The classes that ask, and `terminal.network` where that does. */
  readonly rules: readonly (CommandClass | 'terminal.network')[]
  /** Why it is in these classes, in words. */
  readonly why: string
  /** The same for the same command, directory, variables and input. */
  readonly key: string
}

/**
 * To a scope question: `allow` adds the globs to the intent, `deny` does not. To an access question: `allow` holds for
 * the path from now on, `subtree` for all of the directory it is in, `once` for the tool call that uses it (outside of
 * one, until the session next takes in what reviewers said), `deny` until another answer is given. To a command question: `allow`
 * and `deny` hold for the same command until another answer is given, `once` for one run.
 */
export type AnswerWord = 'allow' | 'once' | 'subtree' | 'deny'

/** A person's answer to a question. */
export interface Answer {
  readonly answer: AnswerWord
  /** What the agent is told; a refusal needs it. */
  readonly words?: string
  readonly by?: Reviewer
  /**
   * To an access question: puts the answer into policy.yaml as well, for every session from now on. `allow` becomes an
   * `allow` rule for the path, `subtree` one for its directory, `deny` a `read-only` one for the path.
   * To a command question: `allow` and `deny` become the words of its rules, for every command they are about.
   */
  readonly remember?: boolean
}

/** Asked as soon as a question comes up. Undefined: nobody has an answer now; the question stays open. */
export type Approver = (question: Question) => Promise<Answer | undefined>
