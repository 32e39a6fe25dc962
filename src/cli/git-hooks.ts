import { createTwoFilesPatch } from 'diff'
import { type GitHookPlan, gitHooks } from '../surface/index.js'
import { type Context, EXIT } from './context.js'
import { oneLine } from './printable.js'

/** `escrow init --git`: the hooks of git that keep the authors of lines. */

export interface GitHookAnswer {
  /** The files to change; the caller has shown them and asked. */
  readonly changes: readonly GitHookPlan[]
  /** Hooks that a person has to enter, with the reason and the line. */
  readonly manual: readonly { readonly hook: string; readonly problem: string; readonly line: string }[]
}

/** Undefined if there is no repository, which is reported. */
export async function planHooks(
  { io, exit }: Context,
  root: string,
  remove: boolean,
): Promise<GitHookAnswer | undefined> {
  const plans = (await gitHooks()).planGitHooks(root, { remove })
  if (plans === undefined) {
    io.err("escrow: This directory is in no git repository, so there are no hooks. Run 'git init' first.\n")
    exit(EXIT.refused)
    return undefined
  }
  const changes = plans.filter(({ before, after }) => before !== after)
  const manual = plans.flatMap(({ hook, obstacle, line }) =>
    obstacle === undefined || remove ? [] : [{ hook, problem: obstacle, line }],
  )
  return { changes, manual }
}

/** Shows the changes, asks, and makes them. */
export async function enterHooks(
  context: Context,
  root: string,
  { remove, yes }: { readonly remove: boolean; readonly yes: boolean },
): Promise<void> {
  const { io, exit } = context
  const plan = await planHooks(context, root, remove)
  if (plan === undefined) return
  for (const { hook, problem, line } of plan.manual)
    io.out(`by hand  ${hook}: ${oneLine(problem)}. Add this line to your hook:\n  ${oneLine(line)}\n`)
  const { changes } = plan
  if (changes.length === 0) {
    if (plan.manual.length === 0) io.out('The git hooks need no change.\n')
    return
  }
  for (const change of changes) io.out(patchOf(change))
  if (!yes) {
    const prompts = await io.ask?.()
    if (prompts === undefined) {
      io.err("escrow: No git hook was changed: there is no terminal to ask for confirmation. Add '--yes' to confirm.\n")
      return exit(EXIT.refused)
    }
    if ((await prompts.confirm('Write these git hooks?', true)) !== true) {
      io.err('No git hook was changed.\n')
      return exit(EXIT.refused)
    }
  }
  for (const { change, path } of await writeHooks(context, changes, remove)) io.out(`${change}  ${oneLine(path)}\n`)
}

/** Makes the changes that a person agreed to. */
export async function writeHooks({ io, library }: Context, changes: readonly GitHookPlan[], remove: boolean) {
  if (!remove && io.entry !== undefined) (await library()).installLauncher(io.entry)
  const { applyGitHooks } = await gitHooks()
  applyGitHooks(changes)
  return changes.map((change) => ({ path: change.path, change: hookChange(change) }))
}

function hookChange({ before, after }: GitHookPlan): 'removed' | 'created' | 'changed' {
  if (after === undefined) return 'removed'
  return before === undefined ? 'created' : 'changed'
}

function patchOf({ path, before, after }: GitHookPlan): string {
  const [from, to] = [before === undefined ? '/dev/null' : path, after === undefined ? '/dev/null' : path]
  const patch = createTwoFilesPatch(from, to, before ?? '', after ?? '', '', '')
  return `${patch.split('\n').slice(1, -1).map(oneLine).join('\n')}\n`
}
