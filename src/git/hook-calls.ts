import { join } from 'node:path'
import type { GitHookCall, GitRewrite } from '../core/git-api.js'
import { findGit } from '../os/git.js'
import { readStart } from '../os/read.js'
import { removeName, replaceDurable } from '../os/write.js'
import { isObjectId } from './entries.js'
import type { Git } from './program.js'

/**
 * The report of a git hook's call: which commits replaced others, and which ones came from another branch or
 * repository.
 */

/**
 * The file that records a `git merge --squash` until the commit that completes it. The hook `post-commit` looks for
 * this file.
 */
const SQUASH = 'escrow-squash'
const MAX_BYTES = 1024 * 1024

export interface HookReport {
  readonly rewrites: readonly GitRewrite[]
  /** Ranges of commits that came from another branch or repository. */
  readonly arrived: readonly string[]
}

/** Reads a call. A squash merge is recorded in the repository's directory until the commit that completes it. */
export function readHookCall(git: Git, { name, args, input = '' }: GitHookCall): HookReport {
  const nothing = { rewrites: [], arrived: [] }
  switch (name) {
    case 'post-rewrite':
      return { ...nothing, rewrites: rewritesIn(input) }
    case 'post-merge':
      if (args[0] === '1') noteSquash(git)
      return args[0] === '1' ? nothing : { ...nothing, arrived: ['ORIG_HEAD..HEAD'] }
    case 'post-checkout':
      return { ...nothing, arrived: forwardRange(git, args) }
    case 'post-commit':
      return { ...nothing, rewrites: completedSquash(git) }
  }
}

/** `<old> <new>` in each line. */
function rewritesIn(input: string): GitRewrite[] {
  return input.split('\n').flatMap((line) => {
    const [from = '', commit = ''] = line.split(' ')
    return isObjectId(from) && isObjectId(commit) && from !== commit ? { commit, from: [from] } : []
  })
}

/** A checkout that only moved forward, as `git pull --rebase` does. */
function forwardRange(git: Git, [old = '', now = '', isBranch]: readonly string[]): string[] {
  if (isBranch !== '1' || !isObjectId(old) || !isObjectId(now) || old === now) return []
  return git.run(['merge-base', '--is-ancestor', old, now]).status === 0 ? [`${old}..${now}`] : []
}

function noteSquash(git: Git): void {
  const dir = findGit(git.root)?.own
  const head = git.query(['rev-parse', '-q', '--verify', 'HEAD^{commit}'])
  if (dir === undefined || head === undefined) return
  const message = readStart(join(dir, 'SQUASH_MSG'), MAX_BYTES)
  const [newest] = [...message.matchAll(/^commit ([0-9a-f]{40,64})$/gm)].flatMap(([, id]) => id ?? [])
  if (newest !== undefined) replaceDurable(join(dir, SQUASH), `${head} ${newest}\n`)
}

/** The commit that completed a squash. Another commit on the same parent counts too: only its own lines are followed. */
function completedSquash(git: Git): GitRewrite[] {
  const dir = findGit(git.root)?.own
  if (dir === undefined) return []
  const [parent = '', newest = ''] = readStart(join(dir, SQUASH), MAX_BYTES).trim().split(' ')
  removeName(join(dir, SQUASH))
  const [commit = '', ...parents] = (git.query(['rev-list', '--no-walk', '--parents', 'HEAD']) ?? '').split(' ')
  return parents.length === 1 && parents[0] === parent && isObjectId(newest) ? [{ commit, from: [newest] }] : []
}
