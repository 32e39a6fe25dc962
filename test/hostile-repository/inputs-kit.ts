import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { compileOnce } from '../support/compiled.js'

/** A clone with hostile files. Nobody has run a program in it yet. */
export interface HostileClone {
  readonly root: string
  readonly home: string
  /** The script of a hostile program: it logs its own name and exits with 1. */
  readonly canary: string
  write(path: string, text: string, mode?: number): void
  /** The names of the clone's programs that ran, in order. */
  startedPrograms(): string[]
  env(extra?: NodeJS.ProcessEnv): NodeJS.ProcessEnv
  /** Runs `escrow` in the clone. @param stdin a file descriptor to read from, instead of an input that has ended */
  escrow(argv: readonly string[], extra?: NodeJS.ProcessEnv, stdin?: number): CommandResult
  /** Runs statements in a new process in the clone. `load(path)` imports a compiled module by its path in the repository. */
  runModule(statements: string, extra?: NodeJS.ProcessEnv): CommandResult
}

export interface CommandResult {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

const INTENTS = `active_intents:
  - id: INT-001
    name: Everything
    status: IN_PROGRESS
    owned_scope: ["**"]
`

export function hostileClone(files: Readonly<Record<string, string>> = {}): HostileClone {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'escrow-hostile-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const [root, home, log] = ['clone', 'home', 'started'].map((name) => join(dir, name)) as [string, string, string]
  const write = (path: string, text: string, mode = 0o644) => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { mode })
  }
  mkdirSync(home)
  write('.orchestration/active_intents.yaml', INTENTS)
  for (const [path, text] of Object.entries(files)) write(path, text)
  const env = (extra: NodeJS.ProcessEnv = {}) => ({
    ...{ PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: join(home, 'state'), NO_COLOR: '1', LC_ALL: 'C' },
    ...extra,
  })
  const run = (argv: readonly string[], extra: NodeJS.ProcessEnv | undefined, stdin: number | 'pipe' = 'pipe') =>
    spawnSync(process.execPath, argv, {
      ...{ cwd: root, env: env(extra), encoding: 'utf8', timeout: 60_000 },
      stdio: [stdin, 'pipe', 'pipe'],
    })
  return {
    ...{ root, home, write, env },
    canary: `#!/bin/sh\necho "\${0##*/}" >> '${log}'\nexit 1\n`,
    startedPrograms: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []),
    escrow: (argv, extra, stdin) => run([join(compileOnce(), 'src/cli/main.js'), ...argv], extra, stdin),
    runModule: (statements, extra) => {
      const load = `const load = (name) => import(${JSON.stringify(`${compileOnce()}/`)} + name)`
      return run(['--input-type=module', '-e', `${load}\n${statements}`], extra)
    },
  }
}

/** Programs that escrow starts outside a container, and some that those could start. */
const PROGRAMS = [
  'sync',
  'less',
  'vi',
  'xdg-open',
  'open',
  'git',
  'bwrap',
  'unshare',
  'nsenter',
  'prlimit',
  'mount',
  'sh',
]

/**
 * Writes canaries with the given names into the clone.
 * @returns A `PATH` that names the clone before the system's directories, in every form that a `PATH` allows.
 */
export function shadowPrograms(clone: HostileClone, names: readonly string[] = PROGRAMS): NodeJS.ProcessEnv {
  for (const name of names)
    for (const dir of ['.', 'bin', 'node_modules/.bin']) clone.write(join(dir, name), clone.canary, 0o755)
  return { PATH: `.:bin::${clone.root}/bin:${clone.root}/node_modules/.bin:${process.env.PATH}` }
}
