import type { ProposedCommit } from '../core/exec-api.js'
import type { AdmittedCommand } from './command-gate.js'
import type { CommandMount } from './command-mount.js'

/** Largest number of commits to list, newest first. */
const MAX_COMMITS = 100
/** Bytes of git's output that are read. */
const MAX_ANSWER = 1 << 20
/** Milliseconds for git. */
const TIMEOUT_MS = 10_000
const FORMAT = '%x01%H%x00%B%x00'

/**
 * Lists the git commits that a program made in its mount, oldest first. Its repository is removed with the mount, so
 * they are read before. Git runs in the same sandbox, because the hooks and settings there are the program's.
 * @param head the HEAD commit of the repository on disk; undefined without one.
 */
export async function proposedCommits(
  mount: CommandMount,
  { visibility, readOnlyNames, env, cwd }: AdmittedCommand,
  head: string | undefined,
): Promise<ProposedCommit[]> {
  if (mount.isolation === 'none') return []
  const log = [
    'log',
    '--reverse',
    `--max-count=${MAX_COMMITS}`,
    '-z',
    '--name-only',
    '--no-renames',
    '--no-show-signature',
  ]
  const range = ['HEAD', ...(head === undefined ? [] : ['--not', head])]
  const { exitCode, stdout } = await mount.run({
    args: ['git', '--no-pager', '-c', 'core.quotePath=false', ...log, `--format=${FORMAT}`, ...range, '--'],
    cwd,
    env: { ...env, GIT_OPTIONAL_LOCKS: '0' },
    network: false,
    visibility,
    readOnlyNames,
    processes: 64,
    timeout: TIMEOUT_MS,
    keepBytes: MAX_ANSWER,
  })
  return exitCode === 0 ? parseLog(stdout) : []
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
