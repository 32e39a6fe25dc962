import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const IDENTITY = ['user.name=Ada', 'user.email=ada@example.org', 'commit.gpgsign=false']
/** Without it, each commit starts a second git. */
const NO_MAINTENANCE = 'maintenance.auto=false'
const SETTINGS = [...IDENTITY, NO_MAINTENANCE].flatMap((setting) => ['-c', setting])

/** As git's own, with one sample of a hook instead of thirteen: each repository gets a copy, and each copy of a workspace. */
const TEMPLATE = fileURLToPath(new URL('../fixtures/git-template', import.meta.url))

const isolatedEnv = () => ({
  ...process.env,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_TEMPLATE_DIR: TEMPLATE,
})

/** Runs git as Ada, without the machine's settings. Returns its output. */
export function git(cwd: string, ...args: string[]): string {
  return execFileSync('git', [...SETTINGS, ...args], {
    cwd,
    env: isolatedEnv(),
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
}

/** As {@link git}, for git's output on stderr. Does not throw if git fails. */
export function tryGit(cwd: string, ...args: string[]): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync('git', [...SETTINGS, ...args], {
    cwd,
    env: isolatedEnv(),
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  return { status, stderr }
}

/** Commits all files. @param options further options of `git commit` */
export function commitAll(root: string, ...options: string[]): void {
  git(root, 'add', '-A')
  git(root, 'commit', '-q', '--allow-empty', '-m', 'work', ...options)
}

/** Makes a directory a repository with an empty branch `main`, in which every program commits as Ada. */
export function initEmptyRepository(root: string): void {
  git(root, 'init', '-q', '-b', 'main')
  // Many suites need a repository, and three more programs would take longer than the first.
  appendFileSync(
    `${root}/.git/config`,
    '[user]\n\tname = Ada\n\temail = ada@example.org\n[commit]\n\tgpgSign = false\n',
  )
}

interface RepositoryOptions {
  /** The text of `.gitignore`. By default git leaves the ledger alone. */
  readonly ignore?: string
  /** When the author wrote the first commit. */
  readonly date?: string
}

/** As {@link initEmptyRepository}, with a first commit of all files. */
export function initRepository(root: string, { ignore = '.orchestration/\n', date }: RepositoryOptions = {}): void {
  initEmptyRepository(root)
  writeFileSync(`${root}/.gitignore`, ignore)
  commitAll(root, ...(date === undefined ? [] : [`--date=${date}`]))
}
