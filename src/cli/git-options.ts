import { type Command, Option } from 'commander'
import { defined } from '../core/defined.js'
import type { GitCommitOptions, GitCommitPer } from '../index.js'

/** The options of a command that commits, for git. */
export interface GitFlags {
  readonly git?: boolean
  readonly branch?: string
  readonly per?: GitCommitPer
  readonly message?: string
  readonly edit?: true
  readonly wholeFiles?: true
  readonly hooks?: true
}

/** Adds the options. Each of them means `--git`. */
export function addGitOptions(command: Command): Command {
  return command
    .option('--git', 'also make a git commit of the changes, as all or nothing with them')
    .option('--no-git', 'make no git commit, although policy.yaml asks for one (`commit.git`)')
    .option('--branch <name>', "the git commit's branch, new or existing; the current one by default. Implies --git")
    .addOption(
      new Option(
        '--per <what>',
        'one git commit for everything, for each intent, step, or git commit that the agent made. Implies --git',
      ).choices(['all', 'intent', 'step', 'proposal']),
    )
    .option('-m, --message <text>', "the git commit's message, without trailers. Implies --git")
    .option('-e, --edit', 'edit the message in your editor first. Implies --git')
    .option('--whole-files', 'also commit your own uncommitted edits in the same files. Implies --git')
    .option(
      '--hooks',
      "run the repository's hooks pre-commit (contained, on the approved changes) and commit-msg. Implies --git",
    )
}

/**
 * The git options of a commit; undefined if policy decides.
 * @param editText opens a text in the person's editor
 */
export function gitOptionsOf(
  { git, branch, per, message, edit, wholeFiles, hooks }: GitFlags,
  editText: (text: string) => Promise<string>,
): GitCommitOptions | false | undefined {
  if (git === false) return false
  const options = defined({ branch, per, message, wholeFiles, hooks, edit: edit && editText })
  return git === true || Object.keys(options).length > 0 ? options : undefined
}
