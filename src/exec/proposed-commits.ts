import type { KeptRef, ProposedCommit } from '../core/exec-api.js'
import type { Place } from '../terminal/index.js'
import type { AdmittedCommand } from './command-gate.js'

/** Largest number of commits to list, newest first. */
const MAX_COMMITS = 100
/** Largest number of branches and tags to list. */
const MAX_REFS = 200
/** Bytes of git's output that are read. */
const MAX_ANSWER = 1 << 20
/** Milliseconds for git. */
const TIMEOUT_MS = 10_000
const FORMAT = '%x01%H%x00%B%x00'

/** Runs git in the mount, where the settings and hooks of the private repository can do no harm. */
export interface MountGit {
  readonly mount: Pick<Place, 'run'>
  readonly admitted: Pick<AdmittedCommand, 'visibility' | 'readOnlyNames' | 'env'>
  /** The workspace's root. */
  readonly root: string
}

/**
 * The git commits that a session's programs made and the repository on disk lacks, oldest first. A commit with the same changes as one on
 * disk is left out: it has landed.
 * @param head the HEAD commit of the repository on disk; undefined without one.
 */
export async function proposedCommits(git: MountGit, head: string | undefined): Promise<ProposedCommit[]> {
  const log = ['log', '--reverse', `--max-count=${MAX_COMMITS}`, '-z', '--name-only', '--relative', '--no-renames']
  const side = head === undefined ? [] : ['--cherry-pick', '--right-only']
  const range = head === undefined ? 'HEAD' : `${head}...HEAD`
  const options = ['--no-show-signature', '--no-ext-diff', '--no-textconv']
  const args = [...log, ...options, `--format=${FORMAT}`, ...side, range, '--']
  return parseLog((await runGit(git, args)) ?? '')
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

/**
 * The branches, tags and the stash in the mount with commits that are not on its current branch, other than those on disk.
 * @param onDisk the id of a ref in the repository on disk
 */
export async function keptRefs(git: MountGit, onDisk: (ref: string) => string | undefined): Promise<KeptRef[]> {
  const format = '%(refname)%00%(objectname)%00%(contents:subject)'
  const list = ['for-each-ref', `--count=${MAX_REFS}`, `--format=${format}`]
  const all = await runGit(git, [...list, 'refs/heads', 'refs/tags', 'refs/stash'])
  const loose = await runGit(git, [...list, '--no-merged=HEAD', 'refs/heads'])
  const isLoose = new Set(parseRefs(loose ?? all ?? '').map(({ ref }) => ref))
  return parseRefs(all ?? '').filter(
    ({ ref, id }) => onDisk(ref) !== id && (!ref.startsWith('refs/heads/') || isLoose.has(ref)),
  )
}

function parseRefs(text: string): KeptRef[] {
  return text.split('\n').flatMap((line) => {
    const [ref = '', id = '', subject = ''] = line.split('\0')
    return /^[0-9a-f]{40,64}$/.test(id) ? [{ ref, id, subject }] : []
  })
}

/** Moves the current branch in the mount to a commit, if both have the same files. Returns whether it did. */
export async function followHead(git: MountGit, head: string): Promise<boolean> {
  const trees = (await runGit(git, ['rev-parse', '-q', '--verify', 'HEAD^{tree}']))?.trim()
  const now = (await runGit(git, ['rev-parse', '-q', '--verify', `${head}^{tree}`]))?.trim()
  if (trees === undefined || trees !== now) return false
  return (await runGit(git, ['reset', '-q', '--soft', head])) !== undefined
}

/** The output of git; undefined if it failed. */
async function runGit({ mount, admitted, root }: MountGit, args: readonly string[]): Promise<string | undefined> {
  const { visibility, readOnlyNames, env } = admitted
  const { exitCode, stdout } = await mount.run({
    args: ['git', '--no-pager', '-c', 'core.quotePath=false', ...args],
    cwd: root,
    env: { ...env, GIT_OPTIONAL_LOCKS: '0' },
    network: false,
    visibility,
    readOnlyNames,
    processes: 64,
    timeout: TIMEOUT_MS,
    keepBytes: MAX_ANSWER,
  })
  return exitCode === 0 ? stdout : undefined
}
