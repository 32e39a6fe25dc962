import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { compileOnce } from '../support/compiled.js'

/** A clone with hostile files, on a machine of a person who has never run anything in it. */
export interface HostileClone {
  readonly root: string
  readonly home: string
  /** What a program of the clone does: it notes its own name, and exits with 1. */
  readonly canary: string
  write(path: string, text: string, mode?: number): void
  /** The names of the clone's programs that were started, in order. */
  started(): string[]
  env(more?: NodeJS.ProcessEnv): NodeJS.ProcessEnv
  /** Runs `escrow` in the clone. */
  escrow(argv: readonly string[], more?: NodeJS.ProcessEnv): Ran
  /** Runs statements in a new process in the clone; `load` gives a module by its path in the repository. */
  call(statements: string, more?: NodeJS.ProcessEnv): Ran
}

export interface Ran {
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
  const place = realpathSync(mkdtempSync(join(tmpdir(), 'escrow-hostile-')))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const [root, home, log] = ['clone', 'home', 'started'].map((name) => join(place, name)) as [string, string, string]
  const write = (path: string, text: string, mode = 0o644) => {
    const file = join(root, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text, { mode })
  }
  mkdirSync(home)
  write('.orchestration/active_intents.yaml', INTENTS)
  for (const [path, text] of Object.entries(files)) write(path, text)
  const env = (more: NodeJS.ProcessEnv = {}) => ({
    ...{ PATH: process.env.PATH, HOME: home, XDG_STATE_HOME: join(home, 'state'), NO_COLOR: '1', LC_ALL: 'C' },
    ...more,
  })
  const run = (argv: readonly string[], more: NodeJS.ProcessEnv | undefined) =>
    spawnSync(process.execPath, argv, { cwd: root, env: env(more), encoding: 'utf8', timeout: 60_000 })
  return {
    ...{ root, home, write, env },
    canary: `#!/bin/sh\necho "\${0##*/}" >> '${log}'\nexit 1\n`,
    started: () => (existsSync(log) ? readFileSync(log, 'utf8').split('\n').filter(Boolean) : []),
    escrow: (argv, more) => run([join(compileOnce(), 'src/cli/main.js'), ...argv], more),
    call: (statements, more) => {
      const load = `const load = (name) => import(${JSON.stringify(`${compileOnce()}/`)} + name)`
      return run(['--input-type=module', '-e', `${load}\n${statements}`], more)
    },
  }
}

/** Programs that escrow starts outside of a container, and some that these could start. */
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

/** Puts programs of the clone before those of the system, in each way a PATH can name the clone. */
export function shadowed(clone: HostileClone, names: readonly string[] = PROGRAMS): NodeJS.ProcessEnv {
  for (const name of names)
    for (const dir of ['.', 'bin', 'node_modules/.bin']) clone.write(join(dir, name), clone.canary, 0o755)
  return { PATH: `.:bin::${clone.root}/bin:${clone.root}/node_modules/.bin:${process.env.PATH}` }
}
