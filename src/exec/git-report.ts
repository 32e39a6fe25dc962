import type { ExecResult } from '../core/api.js'
import type { Refusal } from '../core/api-error.js'
import { shortRef } from '../core/short-ref.js'
import type { GitOutcome } from './private-git.js'

/** Largest number of commits and refs that a summary names. */
const MAX_NAMED = 20

/** The fields of a command's result about git. */
export function gitResult(outcome: GitOutcome | undefined): Pick<ExecResult, 'commits' | 'gitRefs'> {
  const { commits = [], refs = [] } = outcome ?? {}
  return { ...(commits.length > 0 && { commits }), ...(refs.length > 0 && { gitRefs: refs }) }
}

/** The fields of a command's ledger record about git. An empty list says that the session has no proposals any more. */
export function gitRecord(outcome: GitOutcome | undefined) {
  if (outcome?.commits === undefined) return {}
  const { refs = [] } = outcome
  const commits = outcome.commits.map(({ id, message, paths }) => ({ id, message, paths: [...paths] }))
  return { commits, ...(refs.length > 0 && { git_refs: refs.map((each) => Object.assign({}, each)) }) }
}

const HOOKS =
  'The command changed .git/hooks. Later commands get the original hooks, because only a person may change hooks.'

const DAMAGED =
  'The command damaged .git/HEAD or .git/config, so git found no repository. Later commands get the git state from before this command.'

/** Changes of `.git` that the session's later commands will not see. */
export function gitRefusals(outcome: GitOutcome | undefined): Refusal[] {
  const { problem, hasHooks, isDamaged } = outcome ?? {}
  const lost = `The session's git state is not kept: ${problem}. The messages of its commits are in the ledger.`
  return [
    ...(hasHooks ? [{ path: '.git', reason: 'protected_path', message: HOOKS }] : []),
    ...(isDamaged ? [{ path: '.git', reason: 'unsupported', message: DAMAGED }] : []),
    ...(problem === undefined ? [] : [{ path: '.git', reason: 'limit_exceeded', message: lost }]),
  ]
}

/** Lines for the summary of a command. */
export function gitSummary(outcome: GitOutcome | undefined): string[] {
  if (outcome === undefined) return []
  const { commits = [], refs = [], note, unfinished } = outcome
  return [
    ...(commits.length === 0
      ? []
      : [`git commits kept as proposals: ${listNames(commits.map(subjectOf), commits.length)}`]),
    ...(refs.length === 0
      ? []
      : [
          `kept in this session's git: ${listNames(
            refs.map(({ ref }) => shortRef(ref)),
            refs.length,
          )}`,
        ]),
    ...(unfinished === undefined
      ? []
      : [`${unfinished.what} is in progress in this session's git. To end it: ${unfinished.wayOn}.`]),
    ...(note === undefined ? [] : [note]),
  ]
}

function subjectOf({ message }: { readonly message: string }): string {
  return message.split('\n', 1)[0] ?? ''
}

function listNames(names: readonly string[], count: number): string {
  const more = count > MAX_NAMED ? `, and ${count - MAX_NAMED} more` : ''
  return `${names.slice(0, MAX_NAMED).join(', ')}${more}`
}
