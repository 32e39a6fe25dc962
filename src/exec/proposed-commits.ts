import type { ProposedCommit } from '../core/exec-api.js'
import type { AdmittedCommand } from './admitted-command.js'
import type { CommandMount } from './command-mount.js'

/** Commits of one program that are listed; the newest count. */
const MOST = 100
/** Bytes of git's answer that are read. */
const ANSWER = 1 << 20
/** Milliseconds git has. */
const PATIENCE = 10_000
const FORMAT = '%x01%H%x00%B%x00'

/**
 * The git commits that a program made in its mount, the oldest first. Its repository goes with the mount, so they are read before
 * that, by git itself: contained as the program was, as hooks and settings there are the program's.
 * @param head the commit of the repository on disk; undefined where it has none.
 */
export async function proposedCommits(
  mount: CommandMount,
  { outlook, shut, env, cwd }: AdmittedCommand,
  head: string | undefined,
): Promise<ProposedCommit[]> {
  if (mount.isolation === 'none') return []
  const log = ['log', '--reverse', `--max-count=${MOST}`, '-z', '--name-only', '--no-renames', '--no-show-signature']
  const range = ['HEAD', ...(head === undefined ? [] : ['--not', head])]
  const { exitCode, stdout } = await mount.run({
    args: ['git', '--no-pager', '-c', 'core.quotePath=false', ...log, `--format=${FORMAT}`, ...range, '--'],
    cwd,
    env: { ...env, GIT_OPTIONAL_LOCKS: '0' },
    network: false,
    outlook,
    shut,
    processes: 64,
    timeout: PATIENCE,
    keep: ANSWER,
  })
  return exitCode === 0 ? parseLog(stdout) : []
}

/** Reads what {@link FORMAT} made: of each commit its name, its message and its paths. A commit that was cut off is left out. */
function parseLog(text: string): ProposedCommit[] {
  return text.split('\u0001').flatMap((record): ProposedCommit[] => {
    const [id = '', message, ...rest] = record.split('\0')
    if (!/^[0-9a-f]{40,64}$/.test(id) || message === undefined) return []
    const paths = rest.map((path) => path.replace(/^\n/, '')).filter((path) => path !== '')
    return [{ id, message: message.trim(), paths }]
  })
}
