import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { findEscrow, git } from './commands.js'

export interface DemoWorkspace {
  /** Contains the workspace and the directory `outside`. Removed at the end. */
  readonly home: string
  readonly root: string
  readonly outside: string
  /** The script of the `escrow` command. */
  readonly escrow: string
}

const INTENTS = `# What the agents may do. A person writes this file.
active_intents:
  - id: INT-001
    name: Country codes as a string format
    status: PENDING
    owned_scope:
      - src/v4/core/**
      - "!src/v4/core/tests/**"
      - src/v4/locales/en.ts
    constraints:
      - No new dependency
    acceptance_criteria:
      - A country code has its regex, its list and its English name
  - id: INT-002
    name: Complete the German and French messages
    status: PENDING
    owned_scope:
      - src/v4/locales/**
    constraints:
      - Public exports stay
    acceptance_criteria:
      - Every sized type of the English messages has a unit in German and French
  - id: INT-003
    name: Retire the version 3 benchmarks
    status: COMPLETED
    owned_scope:
      - src/v3/benchmarks/**
`

/**
 * Makes a fresh workspace in the system's temporary directory: the source that the zod package ships, as a git
 * repository with one commit, three declared intents, and a symlink in the source that leads out of the workspace.
 */
export function makeWorkspace(): DemoWorkspace {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'escrowfs-demo-')))
  const root = join(home, 'workspace')
  const outside = join(home, 'outside')
  mkdirSync(outside)
  mkdirSync(join(root, '.orchestration'), { recursive: true })
  const zod = dirname(createRequire(import.meta.url).resolve('zod/package.json'))
  cpSync(join(zod, 'src'), join(root, 'src'), { recursive: true })
  symlinkSync(outside, join(root, 'src/v4/core/vendor'))
  writeFileSync(join(root, '.orchestration/active_intents.yaml'), INTENTS)
  git(root, 'init', '--quiet', '--initial-branch=main')
  git(root, 'add', '--all')
  git(root, 'commit', '--quiet', '--message=zod as published')
  return { home, root, outside, escrow: findEscrow(home) }
}

/** The changes since the git commit with their content, and the files where nothing may be written. */
export function diskState({ root, outside }: DemoWorkspace): string {
  const paths = ['--', '.', ':!.orchestration']
  const status = git(root, 'status', '--porcelain', '--untracked-files=all', ...paths).stdout
  const hooks = readdirSync(join(root, '.git/hooks')).filter((name) => !name.endsWith('.sample'))
  return JSON.stringify([status, git(root, 'diff', 'HEAD', ...paths).stdout, readdirSync(outside), hooks])
}

export function countFiles(root: string): number {
  return git(root, 'ls-files').stdout.trimEnd().split('\n').length
}

/** Simulates a person's edit with their own editor, directly on disk. */
export function editOnDisk(root: string, path: string, [from, to]: readonly [string, string]): void {
  const content = readFileSync(join(root, path), 'utf8')
  if (!content.includes(from)) throw new Error(`The transcript edits ${path}, but '${from}' is not in it.`)
  writeFileSync(
    join(root, path),
    content.replace(from, () => to),
  )
}
