import { posix } from 'node:path'
import type { Step } from './findings.js'
import type { Word } from './words.js'

/** The effects of a line on repositories, for commands that work on a `.git` of their session. */

/**
 * `own`: changes the session's own `.git` and no other file. `refused`: removes or replaces a `.git`, changes hooks, or changes a
 * repository below the workspace's root. `none`: changes nothing. `other`: changes other files, or is not understood.
 */
export type GitEffect = 'own' | 'refused' | 'none' | 'other'

/** Absolute paths. */
export interface Places {
  /** The workspace, which is a repository. */
  readonly root: string
  /** The directory that the line runs in. */
  readonly cwd: string
}

/** The directory of a step; undefined if it is known only at run time. */
type Cwd = string | undefined

export function gitEffectsOf(steps: readonly Step[], { root, cwd }: Places): ReadonlySet<GitEffect> {
  const found = new Set<GitEffect>()
  let at: Cwd = cwd
  for (const step of steps) {
    if (step === 'unknown') found.add('other')
    else if ('writes' in step) found.add(new Repository(root, at).effectOn(step.writes, 'replaces'))
    else if (step.program === 'cd') at = resolveCwd(at, step.given[0])
    else for (const effect of effectsOfProgram(step, new Repository(root, at))) found.add(effect)
  }
  return found
}

function resolveCwd(at: Cwd, word: Word | undefined): Cwd {
  return at === undefined || word?.text === undefined ? undefined : posix.resolve(at, word.text)
}

/** How a program changes the files that it names. */
type Way = 'replaces' | 'updates' | 'fills'

/** Programs whose operands are the files that they change. `values`: options with a value in the next word. */
const WRITERS: Readonly<
  Record<string, { readonly way: Way; readonly from?: 'second' | 'last'; readonly values?: string }>
> = {
  rm: { way: 'replaces' },
  unlink: { way: 'replaces' },
  rmdir: { way: 'replaces' },
  shred: { way: 'replaces', values: '-n -s' },
  mv: { way: 'replaces', values: '-S' },
  tee: { way: 'replaces' },
  truncate: { way: 'replaces', values: '-s -r' },
  touch: { way: 'updates', values: '-d -t -r' },
  mkdir: { way: 'updates', values: '-m' },
  chmod: { way: 'updates', from: 'second' },
  chown: { way: 'updates', from: 'second' },
  chgrp: { way: 'updates', from: 'second' },
  cp: { way: 'fills', from: 'last', values: '-S' },
  ln: { way: 'fills', from: 'last', values: '-S' },
  install: { way: 'fills', from: 'last', values: '-m -o -g -S' },
}

type ProgramStep = Extract<Step, { readonly program: string }>

function effectsOfProgram({ program, given, classes }: ProgramStep, repository: Repository): GitEffect[] {
  if (classes.every((each) => each === 'read-only')) return ['none']
  if (program === 'git') return effectsOfGit(given, repository)
  const isInPlace = program === 'sed' && given.some(({ lead }) => /^(?:-[a-zA-Z]*i|--in-place)/.test(lead))
  const writer = isInPlace ? ({ way: 'updates', from: 'second' } as const) : WRITERS[program]
  if (writer === undefined) return ['other']
  const operands = operandsOf(given, writer.values)
  const files = writer.from === undefined ? operands : operands.slice(writer.from === 'last' ? -1 : 1)
  return files.length === 0 ? ['other'] : files.map((word) => repository.effectOn(word, writer.way))
}

function operandsOf(args: readonly Word[], values = ''): Word[] {
  const withValue = values.split(' ')
  return args.filter(
    ({ lead }, at) => (!lead.startsWith('-') || lead === '-') && !withValue.includes(args[at - 1]?.text ?? ' '),
  )
}

/** The workspace's repository, from a directory. */
class Repository {
  constructor(
    private readonly root: string,
    private readonly at: Cwd,
  ) {}

  /** The same, after `git -C`. */
  from(word: Word | undefined): Repository {
    return new Repository(this.root, resolveCwd(this.at, word))
  }

  effectOn({ text, lead }: Word, way: Way): GitEffect {
    // For a pattern such as `.git/hooks/*`, the directory is known.
    const isWhole = text !== undefined
    const known = isWhole ? text : lead.slice(0, lead.lastIndexOf('/') + 1)
    const path = known === '' ? undefined : this.#inside(known)
    const names = path?.split('/') ?? []
    const at = names.indexOf('.git')
    if (at < 0) return 'other'
    const [first, ...rest] = names.slice(at + 1)
    if (first === 'index' || first === 'index.lock') return 'own'
    if (at > 0) return 'refused'
    if (first === undefined) return way === 'replaces' ? 'refused' : 'own'
    if (first !== 'hooks' || rest.at(-1)?.endsWith('.sample') === true) return 'own'
    return rest.length === 0 && isWhole && way === 'updates' ? 'own' : 'refused'
  }

  /** A new repository in a directory. */
  effectOfNew(directory: string): GitEffect {
    const path = this.#inside(directory)
    if (path === undefined) return 'other'
    return path === '' ? 'own' : 'refused'
  }

  /** A new linked worktree in a directory. */
  effectOfTree({ text }: Word): GitEffect {
    if (text === undefined || this.at === undefined) return 'other'
    return this.#inside(text) === undefined ? 'own' : 'refused'
  }

  /** Relative to the workspace; undefined for a path outside, or one known only at run time. */
  #inside(path: string): string | undefined {
    const whole = this.at === undefined && !posix.isAbsolute(path) ? undefined : posix.resolve(this.at ?? '/', path)
    if (whole === this.root) return ''
    return whole?.startsWith(`${this.root}/`) ? whole.slice(this.root.length + 1) : undefined
  }
}

/** Commands of git that change `.git` alone. */
const OWN = new Set(
  (
    'add stage tag branch config remote notes gc prune repack pack-refs update-index update-ref symbolic-ref reflog maintenance ' +
    'hash-object mktag mktree write-tree commit-tree replace rerere fetch'
  ).split(' '),
)

/** Commands of git that change `.git` alone with some options, and without others. `only`: nothing follows the option's value. */
const OWN_WITH: Readonly<Record<string, { readonly has?: RegExp; readonly lacks?: RegExp; readonly only?: true }>> = {
  reset: { lacks: /^--(?:hard|merge|keep)$/ },
  'read-tree': { lacks: /^-[a-z]*u/ },
  restore: { has: /^(?:--staged|-S)$/, lacks: /^(?:--worktree|-W)$/ },
  rm: { has: /^--cached$/ },
  apply: { has: /^--cached$/, lacks: /^--index$/ },
  switch: { has: /^(?:-[a-z]*[cC]|--create|--force-create)$/, only: true },
  checkout: { has: /^-[a-z]*[bB]$/, only: true },
  stash: { has: /^(?:drop|clear|create|store)$/ },
  worktree: { has: /^(?:prune|lock|unlock)$/ },
}

function effectsOfGit(args: readonly Word[], from: Repository): GitEffect[] {
  let repository = from
  let at = 0
  for (; args[at]?.lead.startsWith('-'); at++) {
    if (args[at]?.text === '-C') repository = repository.from(args[++at])
    else if (args[at]?.text === '-c') at++
  }
  const name = args[at]?.text ?? ''
  const rest = args.slice(at + 1)
  const operands = operandsOf(rest, '-b -B --reason --template --separate-git-dir --depth --branch --origin')
  if (name === 'init') {
    const isPlain = !rest.some(({ lead }) => /^--(?:bare|separate-git-dir)/.test(lead))
    return isPlain ? [repository.effectOfNew(operands[0] === undefined ? '.' : (operands[0].text ?? ''))] : ['other']
  }
  if (name === 'worktree' && operands[0]?.text === 'add')
    return operands[1] === undefined ? ['other'] : ['own', repository.effectOfTree(operands[1])]
  if (name === 'config') {
    const file = rest[rest.findIndex(({ text }) => text === '-f' || text === '--file') + 1]
    if (rest.some(({ lead }) => /^(?:-f|--file)/.test(lead)))
      return file === undefined ? ['other'] : [repository.effectOn(file, 'updates')]
  }
  if (OWN.has(name)) return ['own']
  const condition = OWN_WITH[name]
  if (condition === undefined) return ['other']
  const { has, lacks, only } = condition
  const isOwn =
    (has === undefined || rest.some(({ text }) => text !== undefined && has.test(text))) &&
    rest.every(({ text }) => text !== undefined && lacks?.test(text) !== true) &&
    (only === undefined || operandsOf(rest).length === 1)
  return [isOwn ? 'own' : 'other']
}
