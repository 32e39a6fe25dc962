import type { KeptRef, ProposedCommit } from '../core/exec-api.js'
import { newId } from '../core/ids.js'
import { GIT_STATE, OFFLINE_GIT } from '../os/git.js'
import type { Place } from '../terminal/index.js'
import type { AdmittedCommand } from './command-gate.js'

/** Largest number of commits to list, newest first. */
const MAX_COMMITS = 100
/** Largest number of branches and tags to list. */
const MAX_REFS = 200
/** Bytes of git's output that are read. */
const MAX_ANSWER = 1 << 20
/** Milliseconds after which git is stopped. */
const TIMEOUT_MS = 10_000
/** The exit code of git after a fatal error. */
const GIT_REFUSED = 128
const FORMAT = '%x01%H%x00%B%x00'
const REF_FORMAT = '%(refname)%00%(objectname)%00%(contents:subject)'

/** Runs git in the mount, where the settings and hooks of the private repository can do no harm. */
export interface MountGit {
  readonly mount: Pick<Place, 'run'>
  readonly admitted: Pick<AdmittedCommand, 'visibility' | 'readOnlyNames' | 'env'>
  /** The workspace's root. */
  readonly root: string
}

/** The commits and refs of a session's repository that the one on disk lacks. */
export interface GitProposals {
  /** Oldest first. A commit with the same changes as one on disk is left out: it has landed. */
  readonly commits: readonly ProposedCommit[]
  /** The branches, tags and the stash with commits that are not on the current branch, other than those on disk. */
  readonly refs: readonly KeptRef[]
}

/**
 * Reads the commits and refs that a session's programs made in the mount, and keeps its current branch where it is.
 * @param head the HEAD commit of the repository on disk; undefined without one
 * @param onDisk the id of a ref in the repository on disk
 * @param isFirst the session has had no private state before
 * @returns undefined if git finds no repository: its HEAD or its settings are damaged
 */
export async function proposalsIn(
  git: MountGit,
  head: string | undefined,
  onDisk: (ref: string) => string | undefined,
  isFirst: boolean,
): Promise<GitProposals | undefined> {
  const list = ['for-each-ref', `--count=${MAX_REFS}`, `--format=${REF_FORMAT}`]
  const calls = [
    logSince(head),
    [...list, 'refs/heads', 'refs/tags', 'refs/stash'],
    [...list, '--no-merged=HEAD', 'refs/heads'],
  ]
  const [log, all, loose] = await runEach(git, calls, isFirst ? `${KEEP_BRANCH}${KEEP_STATE}` : KEEP_BRANCH)
  // A branch without commits has no log, but a repository always has a list of refs.
  if (log === undefined && all === undefined && (await isDamaged(git))) return undefined
  const isLoose = new Set(parseRefs(loose ?? all ?? '').map(({ ref }) => ref))
  const refs = parseRefs(all ?? '').filter(
    ({ ref, id }) => onDisk(ref) !== id && (!ref.startsWith('refs/heads/') || isLoose.has(ref)),
  )
  return { commits: parseLog(log ?? ''), refs }
}

function logSince(head: string | undefined): string[] {
  const log = ['log', '--reverse', `--max-count=${MAX_COMMITS}`, '-z', '--name-only', '--relative', '--no-renames']
  const side = head === undefined ? [] : ['--cherry-pick', '--right-only']
  const range = head === undefined ? 'HEAD' : `${head}...HEAD`
  const options = ['--no-show-signature', '--no-ext-diff', '--no-textconv']
  return [...log, ...options, `--format=${FORMAT}`, ...side, range, '--']
}

/** Parses the output of {@link FORMAT}: id, message and paths of each commit. A truncated commit is left out. */
function parseLog(text: string): ProposedCommit[] {
  return text.split('\u0001').flatMap((record): ProposedCommit[] => {
    const [id = '', message, ...rest] = record.split('\0')
    if (!/^[0-9a-f]{40,64}$/.test(id) || message === undefined) return []
    const paths = rest.map((path) => path.replace(/^\n/, '')).filter((path) => path !== '')
    return [{ id, message: message.trim(), paths }]
  })
}

function parseRefs(text: string): KeptRef[] {
  return text.split('\n').flatMap((line) => {
    const [ref = '', id = '', subject = ''] = line.split('\0')
    return /^[0-9a-f]{40,64}$/.test(id) ? [{ ref, id, subject }] : []
  })
}

/** Moves the current branch in the mount to a commit, if both have the same files. Returns whether it did. */
export async function followHead(git: MountGit, head: string): Promise<boolean> {
  // With this option git leaves out a name that it does not know.
  const trees = shellLine(['rev-parse', '--revs-only', 'HEAD^{tree}', `${head}^{tree}`])
  const reset = shellLine(['reset', '-q', '--soft', head])
  const { exitCode } = await runShell(git, `set -- $(${trees}) && test $# = 2 && test "$1" = "$2" && ${reset}`)
  return exitCode === 0
}

/**
 * Shell lines that write the current branch into the session's layer. What the layer lacks is shown as it is on disk, so a person's
 * commit would move the branch of the session, and its index would take the commit back. They start few programs, because they run after
 * each command that changes `.git`. A path may contain a line feed, but no id does.
 */
const KEEP_BRANCH = `
line='
'
ref=$(git symbolic-ref -q HEAD) && found=$(git rev-parse HEAD^0 --git-common-dir) || ref=
common=\${found#*"$line"}
at=$common/$ref
test -z "$ref" || {
  { test ! -d "$at" || rmdir -- "$at"; } && { test -d "\${at%/*}" || mkdir -p -- "\${at%/*}"; } &&
  printf '%s\\n' "\${found%%"$line"*}" > "$at.kept" && mv -f -- "$at.kept" "$at"
}
`

/**
 * As {@link KEEP_BRANCH}, for HEAD, the index, the reflogs and the files of an unfinished merge or rebase. `mv` replaces a file, but a
 * directory has to be removed first.
 */
const KEEP_STATE = `
dir=$(git rev-parse --git-dir) || dir=
set -- \${ref:+"$common/logs/$ref"}
for name in HEAD index logs/HEAD ${GIT_STATE.join(' ')}; do set -- "$@" "$dir/$name"; done
test -z "$dir" || for at; do
  test ! -e "$at" || { cp -pR -- "$at" "$at.kept" && { test -f "$at" || rm -rf -- "$at"; } && mv -f -- "$at.kept" "$at"; }
done
`

/** The settings of the repository are the session's. No hook of theirs runs, and git starts no program to fetch something. */
const GIT = ['git', '--no-pager', '-c', 'core.quotePath=false', '-c', 'core.hooksPath=/dev/null']

/** Whether git itself refuses the repository. It is not damaged if git is missing or was stopped. */
async function isDamaged(git: MountGit): Promise<boolean> {
  return (await runInMount(git, [...GIT, 'rev-parse', '--git-dir'])).exitCode === GIT_REFUSED
}

/** The output of git; undefined if it failed. */
async function runGit(git: MountGit, args: readonly string[]): Promise<string | undefined> {
  const { exitCode, stdout } = await runInMount(git, [...GIT, ...args])
  return exitCode === 0 ? stdout : undefined
}

function runShell(git: MountGit, script: string) {
  return runInMount(git, ['/bin/sh', '-c', script])
}

/** A call of git as a shell runs it. */
function shellLine(args: readonly string[]): string {
  return [...GIT, ...args].map(quote).join(' ')
}

/**
 * The outputs of several calls of git, from one contained command, because setting up a containment takes longer than git. If that
 * command did not end, or its output is too long, each call gets its own.
 * @param before shell lines to run before
 */
async function runEach(
  git: MountGit,
  calls: readonly (readonly string[])[],
  before: string,
): Promise<(string | undefined)[]> {
  // It is random, so no existing commit contains it.
  const mark = newId()
  const lines = calls.map((args) => `${shellLine(args)}; printf '\\n${mark} %s\\n' "$?"\n`)
  const { stdout } = await runShell(git, `${before}${lines.join('')}`)
  const parts = stdout.split(new RegExp(`\n${mark} (\\d+)\n`))
  if (parts.length === 2 * calls.length + 1)
    return calls.map((_, at) => (parts[2 * at + 1] === '0' ? parts[2 * at] : undefined))
  const outputs: (string | undefined)[] = []
  for (const args of calls) outputs.push(await runGit(git, args))
  return outputs
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

function runInMount({ mount, admitted, root }: MountGit, args: readonly string[]) {
  const { visibility, readOnlyNames, env } = admitted
  return mount.run({
    args,
    cwd: root,
    env: { ...env, ...OFFLINE_GIT, GIT_OPTIONAL_LOCKS: '0' },
    network: false,
    visibility,
    readOnlyNames,
    processes: 64,
    timeout: TIMEOUT_MS,
    keepBytes: MAX_ANSWER,
  })
}
