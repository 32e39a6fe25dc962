import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { git } from '../support/git.js'
import { type Script, type ScriptedModel, scriptedModel } from './model/server.js'

/** The result of a program. */
export interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** A simulated machine for a client: a home directory, a workspace in a git repository, `escrow` on PATH, a model. */
export interface ClientFixture {
  readonly home: string
  readonly root: string
  readonly model: ScriptedModel
  /** The environment of every program. */
  readonly env: Readonly<Record<string, string>>
  /** Runs `escrow` in the workspace. Throws if it fails. */
  escrow(...args: readonly string[]): Promise<string>
  /** Runs a program in the workspace until it exits. */
  run(program: string, args: readonly string[], more?: RunOptions): Promise<Ended>
  /** The text of a file on disk. Undefined if there is none. */
  text(path: string): string | undefined
  write(path: string, text: string): void
  /** Makes our MCP server wait before it starts. */
  delayServer(seconds: number): void
  /** The files of the home directory with their content, without our own state. */
  homeFiles(): Readonly<Record<string, string>>
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
  /** The timeout in milliseconds, after which it is killed and the test fails. */
  readonly timeout?: number
}

export interface FixtureOptions {
  readonly script: Script
  /** Variables with the model's address for a client. */
  readonly env?: (origin: string) => Readonly<Record<string, string>>
}

/**
 * Not in a temporary directory, which contained commands do not see, nor in a repository, whose hooks could start a
 * program.
 */
const STANDS = join(homedir(), '.cache', 'escrowfs-clients')

/** Makes a workspace whose intent INT-001 owns `src/**`, with `src/a.ts` committed. */
export async function clientFixture({ script, env = () => ({}) }: FixtureOptions): Promise<ClientFixture> {
  mkdirSync(STANDS, { recursive: true })
  const base = mkdtempSync(join(STANDS, 'one-'))
  const [home, root, bin] = ['home', 'project', 'bin'].map((name) => join(base, name))
  if (home === undefined || root === undefined || bin === undefined) throw new Error('There is no stand.')
  for (const dir of [home, root, bin]) mkdirSync(dir)
  const cli = join(compileOnce(), 'src', 'cli')
  function addProgram(path: string, file: string, first = ''): void {
    rmSync(path, { force: true })
    writeFileSync(path, `#!/bin/sh\n${first}exec '${process.execPath}' '${join(cli, file)}' "$@"\n`)
    chmodSync(path, 0o755)
  }
  addProgram(join(bin, 'escrow'), 'main.js')
  addProgram(join(bin, 'escrow-sh'), 'sh.js')
  const model = await scriptedModel(script)
  onTestFinished(async () => {
    endProcessesOf(home)
    await model.close()
    rmSync(base, { recursive: true, force: true })
  })
  const all = {
    ...{ HOME: home, PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`, LANG: 'C.UTF-8' },
    ...{ TERM: 'dumb', NO_PROXY: '127.0.0.1,localhost', no_proxy: '127.0.0.1,localhost', CI: '1' },
    ...env(model.origin),
  }
  const run: ClientFixture['run'] = (program, args, more) =>
    runProgram(program, args, { cwd: root, ...more, env: { ...all, ...more?.env } })
  const fixture: ClientFixture = {
    ...{ home, root, model, env: all, run },
    async escrow(...args) {
      const { code, out, err } = await run(join(bin, 'escrow'), args)
      if (code !== 0) throw new Error(`escrow ${args.join(' ')} ended with ${code}: ${err}${out}`)
      return out
    },
    text: (path) => (existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined),
    homeFiles() {
      const entries = readdirSync(home, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
      const files = entries
        .map((each) => join(each.parentPath, each.name))
        .filter((each) => !each.includes('/escrowfs/'))
      return Object.fromEntries(files.map((file) => [file, readFileSync(file, 'utf8')]))
    },
    delayServer(seconds) {
      const entered = join(home, '.local', 'state', 'escrowfs', 'bin', 'escrow')
      for (const path of [join(bin, 'escrow'), entered].filter((each) => existsSync(each)))
        addProgram(path, 'main.js', `[ "$1" = mcp ] && sleep ${seconds}\n`)
    },
    write(path, text) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
  }
  fixture.write('.orchestration/policy.yaml', 'terminal: { network: true }\n')
  fixture.write('src/a.ts', 'export const a = 1\n')
  git(root, 'init', '-q', '-b', 'main')
  git(root, 'add', '.')
  git(root, 'commit', '-q', '-m', 'Start')
  fixture.write('.orchestration/active_intents.yaml', INTENTS)
  const { digest } = JSON.parse(await fixture.escrow('trust', '--json'))
  await fixture.escrow('trust', '--trust-digest', String(digest))
  return fixture
}

const INTENTS = `active_intent_id: INT-001
active_intents:
  - {id: INT-001, name: Prices, status: IN_PROGRESS, owned_scope: ["src/**"]}
`

/** Ends processes that a client left running, such as Cline's hub: nothing else uses this home directory. */
function endProcessesOf(home: string): void {
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      if (readFileSync(`/proc/${name}/environ`, 'utf8').split('\0').includes(`HOME=${home}`))
        process.kill(Number(name), 'SIGKILL')
    } catch {
      // It has exited, or belongs to another user.
    }
  }
}

const PATIENCE = 90_000

function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, input = '', timeout = PATIENCE }: RunOptions & { readonly cwd: string },
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, detached: true, stdio: 'pipe' })
    let [out, err] = ['', '']
    const late = setTimeout(() => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      reject(new Error(`${program} ${args.join(' ')} did not end within ${timeout} ms.\n${out}\n${err}`))
    }, timeout)
    child.stdout.on('data', (chunk) => {
      out += chunk
    })
    child.stderr.on('data', (chunk) => {
      err += chunk
    })
    child.once('error', reject)
    child.once('close', (code) => {
      clearTimeout(late)
      resolve({ code, out, err })
    })
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
