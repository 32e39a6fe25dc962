import { existsSync, lstatSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { defined } from '../core/defined.js'
import { HOOK_BEGIN, HOOK_END } from '../core/own-hook.js'
import { shellWord } from '../core/shell-word.js'
import { runProgram } from '../os/child.js'
import { findGit } from '../os/git.js'
import { userHome } from '../os/home.js'
import { readSmall } from '../os/read.js'
import { ensureDir, removeName, replaceDurable, setMode } from '../os/write.js'
import { WITH_PATH } from './texts.js'

/**
 * Hooks of git that keep the authors of lines when commits are rewritten. They are in the repository's own directory,
 * which a clone does not copy. A hook of a person is changed only inside a marked block.
 */

export const GIT_HOOKS = ['post-rewrite', 'post-merge', 'post-checkout', 'post-commit'] as const
export type GitHook = (typeof GIT_HOOKS)[number]

/** A hook, what its file is now, and what it will be. */
export interface GitHookPlan {
  readonly hook: GitHook
  /** The absolute path of the file. */
  readonly path: string
  /** Undefined if there is no file. */
  readonly before: string | undefined
  /** Undefined if there will be no file. The same as `before` if nothing changes. */
  readonly after: string | undefined
  /** Why the file cannot be changed here, as a clause. */
  readonly obstacle?: string
  /** The line that a person can add instead. */
  readonly line: string
}

/** The first line of a shell's script. The block follows it, because a script may end with `exit`. */
const SHELL_SCRIPT = /^#! ?\/(?:usr\/)?(?:local\/)?bin\/(?:env +)?(?:ba|da|k|z)?sh(?: +-\w+)*\n/
const MAX_BYTES = 1024 * 1024

/**
 * Plans the changes of `escrow init --git` in a repository, or with `remove` their removal. Undefined if the directory
 * is in no repository.
 */
export function planGitHooks(root: string, { remove = false } = {}): GitHookPlan[] | undefined {
  const git = findGit(root)
  if (git === undefined) return undefined
  const top = topOf(root)
  const set = hooksPath(root)
  const hooksDir = join(git.common, 'hooks')
  // The hooks of an earlier `init --git` are still there after another program set the path.
  const dir = set === undefined || remove ? hooksDir : resolve(top, set)
  const where = relative(top, root)
  return GIT_HOOKS.map((hook) => {
    const path = join(dir, hook)
    const call = callOf(hook, where)
    const { text: before, obstacle: problem } = stateOf(path)
    const obstacle = set === undefined ? problem : `core.hooksPath is set to ${set}`
    const plan = { hook, path, before, line: `${call} || :` }
    const without = before === undefined ? undefined : withoutBlock(before, call)
    if (remove) return { ...plan, after: without }
    if (obstacle !== undefined) return { ...plan, after: before, obstacle }
    return { ...plan, after: without === undefined ? ownFile(call) : withBlock(without, hook, call) }
  })
}

export function applyGitHooks(plans: readonly GitHookPlan[]): void {
  for (const { path, before, after } of plans) {
    if (before === after) continue
    if (after === undefined) {
      removeName(path)
      continue
    }
    const mode = before === undefined ? 0o755 : lstatSync(path).mode & 0o777
    ensureDir(join(path, '..'))
    replaceDurable(path, after, mode)
    setMode(path, mode)
  }
}

/** The hooks that call escrow, wherever git looks for them. Undefined without a repository. */
export function gitHooksIn(root: string): { readonly present: GitHook[]; readonly missing: GitHook[] } | undefined {
  const plans = planGitHooks(root)
  if (plans === undefined) return undefined
  const calls = ({ hook, path }: GitHookPlan) => stateOf(path).text?.includes(`adopt --hook ${hook}`) === true
  const hooks = (wanted: boolean) => plans.filter((plan) => calls(plan) === wanted).map(({ hook }) => hook)
  return { present: hooks(true), missing: hooks(false) }
}

/** Where git looks for hooks instead, as its settings say. */
function hooksPath(root: string): string | undefined {
  const { XDG_CONFIG_HOME } = process.env
  const home = { HOME: userHome(), ...defined({ XDG_CONFIG_HOME }) }
  const result = runProgram('git', ['-C', root, 'config', '--get', 'core.hooksPath'], 5_000, home)
  return result.status === 0 ? result.stdout.replace(/\n$/, '') : undefined
}

/** The directory of the repository's `.git`. */
function topOf(root: string): string {
  for (let dir = root; ; dir = join(dir, '..')) if (existsSync(join(dir, '.git')) || dir === join(dir, '..')) return dir
}

interface HookState {
  readonly text?: string
  readonly obstacle?: string
}

function stateOf(path: string): HookState {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat === undefined) return {}
  if (!stat.isFile()) return { obstacle: 'it is not a plain file' }
  if (stat.size > MAX_BYTES) return { obstacle: 'it is too large' }
  const text = readSmall(path, MAX_BYTES)
  if (text.includes('\uFFFD')) return { obstacle: 'it is not text' }
  if (!SHELL_SCRIPT.test(text)) return { text, obstacle: 'it is not a script of a shell' }
  if ((stat.mode & 0o100) === 0) return { text, obstacle: 'it is not executable, so git does not run it' }
  return { text }
}

/** The directory of hooks is that of the whole repository, so a workspace below its top is named. */
function callOf(hook: GitHook, inTop: string): string {
  const where = inTop === '' ? '' : ` -C ${shellWord(inTop)}`
  const call = `(${WITH_PATH}; ! command -v escrow >/dev/null || escrow${where} adopt --hook ${hook} "$@")`
  if (hook === 'post-commit') return `[ ! -f "$(git rev-parse --git-path escrow-squash)" ] || ${call}`
  return hook === 'post-checkout' ? `[ "$3" != 1 ] || [ "$1" = "$2" ] || ${call}` : call
}

function ownFile(call: string): string {
  return `#!/bin/sh\n${HOOK_BEGIN}${call} || :\n${HOOK_END}`
}

/** The script reads its input after us, so it gets it again. */
function withBlock(script: string, hook: GitHook, call: string): string {
  const [first = ''] = SHELL_SCRIPT.exec(script) ?? []
  const lines =
    hook === 'post-rewrite'
      ? `escrow_input=$(cat)\nprintf '%s\\n' "$escrow_input" | ${call} || :\nexec <<ESCROW_INPUT\n$escrow_input\nESCROW_INPUT\n`
      : `${call} || :\n`
  return `${first}${HOOK_BEGIN}${lines}${HOOK_END}${script.slice(first.length)}`
}

/** Undefined for a file that has nothing but the block, as escrow wrote it. */
function withoutBlock(script: string, call: string): string | undefined {
  if (script === ownFile(call)) return undefined
  const begin = script.indexOf(HOOK_BEGIN)
  const end = script.indexOf(HOOK_END, begin)
  return begin === -1 || end === -1 ? script : script.slice(0, begin) + script.slice(end + HOOK_END.length)
}
