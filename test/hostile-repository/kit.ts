import { spawn } from 'node:child_process'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { sha256hex } from '../../overlay/digest.js'
import { compileOnce } from '../support/compiled.js'
import { git } from '../support/git.js'

/**
 * An attacker prepares a repository; a victim clones it and runs the real command there. The tests judge the command by the
 * disk alone: the clone, the victim's home, and a directory of theirs beside the clone.
 */

export interface CommandResult {
  readonly code: number | null
  readonly out: string
  readonly err: string
  /** `out`, then `err`. */
  readonly all: string
}

export interface RunOptions {
  /** Run in a terminal, as a person does. */
  readonly terminal?: true
  /** Standard input. */
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
  /** Press Ctrl-C after the first line of output, for a command that does not end by itself. */
  readonly interrupt?: true
  /** The working directory. The default is the clone. */
  readonly cwd?: string
}

/** The calls of an agent in one session. A call without a text reads the file. */
export interface Work {
  readonly id: string
  readonly intent?: string
  readonly calls: readonly (readonly [path: string, text?: string])[]
  /** Afterwards a person approves and commits everything; `undo` also stages the inverse. */
  readonly after?: 'commit' | 'undo'
  /** The machine cannot contain commands. */
  readonly uncontained?: true
}

/** A person's machine: a home, a state directory, a directory with files they need, and a repository. */
export interface Machine {
  readonly dir: string
  readonly root: string
  write(path: string, text: string, mode?: number): void
  link(path: string, target: string): void
  /** The text of a file below the root, or undefined if there is none. */
  text(path: string): string | undefined
  git(...args: string[]): string
  /** Commits every file, including those that .gitignore excludes. */
  commit(): void
  escrow(line: string, options?: RunOptions): Promise<CommandResult>
  /** Runs an agent. Returns the outcome of opening the session, then of each call: `done`, the text read, or `refused: <reason>`. */
  runAgent(work: Work): Promise<string[]>
  /** The person accepts the policy and the intents of the tree. */
  trust(): Promise<CommandResult>
}

export const INTENTS = `active_intents:
  - id: INT-001
    name: Sources
    status: IN_PROGRESS
    owned_scope: ["src/**"]
`

/** A start file of the victim's shell. */
export const START_FILE = '# mine\nexport EDITOR=vi\n'

/**
 * Creates the attacker's repository once per suite: an honest workspace, changed by `build`.
 * @returns A function that clones it for a victim, at the given branch.
 */
export function hostileRepository(build: (attacker: Machine) => Promise<void> | void): (branch?: string) => Machine {
  const attacker = ownRepository(build)
  return (branch) => cloneOf(attacker(), branch)
}

/** Creates a machine with a repository once per suite: an honest workspace, changed by `build`. */
export function ownRepository(build: (owner: Machine) => Promise<void> | void): () => Machine {
  let owner: Machine | undefined
  beforeAll(async () => {
    owner = newMachine()
    mkdirSync(owner.root)
    owner.git('init', '-q', '-b', 'main')
    owner.write('src/a.ts', 'export const a = 1\n')
    owner.write('.orchestration/active_intents.yaml', INTENTS)
    owner.write('.orchestration/policy.yaml', 'access: {}\n')
    owner.write('.orchestration/.gitignore', '/sessions/\n/tx/\n/commits/\n/ledger.d/\n/locks/\n*.tmp\n')
    owner.write('.orchestration/.gitattributes', 'agent_trace.jsonl merge=union\nintent_map.md merge=union\n')
    await build(owner)
    owner.commit()
  })
  afterAll(() => owner && rmSync(owner.dir, { recursive: true, force: true }))
  return () => {
    if (owner === undefined) throw new Error('There is no repository.')
    return owner
  }
}

/** Clones a repository onto a new machine, which is removed after the test. */
export function cloneOf({ root }: Machine, branch?: string): Machine {
  const machine = newMachine()
  onTestFinished(() => rmSync(machine.dir, { recursive: true, force: true }))
  git(machine.dir, 'clone', '-q', ...(branch === undefined ? [] : ['-b', branch]), root, machine.root)
  return machine
}

function newMachine(): Machine {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'escrow-hostile-')))
  const root = join(dir, 'clone')
  const writeAt = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    chmodSync(path, mode)
  }
  writeAt(join(dir, 'home/.bashrc'), START_FILE)
  writeAt(join(dir, 'home/.zshenv'), '')
  // Files of another project in our formats: a command could accept them as its own and write to them.
  writeAt(join(dir, 'home/plan.yaml'), INTENTS)
  writeAt(join(dir, 'home/rules.yaml'), 'access: {}\n')
  writeAt(join(dir, 'home/map.md'), '# Intent Map\n')
  writeAt(join(dir, 'home/template.yaml'), 'summary: mine\n')
  // Some have the names of our files.
  for (const name of ['photo.jpg', '1', '2', '2.done', '1.conflicts', '.new-letter', '3-0badc0de/letter.txt'])
    writeAt(join(dir, 'outside', name), `the only copy of ${name}\n`)
  // A lock is a directory. An old one counts as abandoned.
  for (const name of ['commit', 'intents', 'intent_map', 'ledger']) {
    mkdirSync(join(dir, 'outside', `${name}.lock`))
    utimesSync(join(dir, 'outside', `${name}.lock`), 1, 1)
  }
  const env = { PATH: process.env.PATH, HOME: join(dir, 'home'), XDG_STATE_HOME: join(dir, 'state'), NO_COLOR: '1' }
  const start = (argv: readonly string[], options: RunOptions = {}) =>
    run(argv, { cwd: root, ...options, env: { ...env, ...options.env } })
  const escrow = (line: string, options?: RunOptions) => start([ESCROW(), ...line.split(' ')], options)
  return {
    dir,
    root,
    write: (path, text, mode) => writeAt(join(root, path), text, mode),
    link(path, target) {
      rmSync(join(root, path), { recursive: true, force: true })
      mkdirSync(dirname(join(root, path)), { recursive: true })
      symlinkSync(target, join(root, path))
    },
    text: (path) => readIfFile(join(root, path)),
    git: (...args) => git(root, ...args),
    commit() {
      git(root, 'add', '-A', '-f')
      git(root, 'commit', '-q', '--allow-empty', '-m', 'work')
    },
    escrow,
    async runAgent(work) {
      writeAt(join(dir, 'agent.mjs'), agentProgram())
      const { out, err } = await start([join(dir, 'agent.mjs'), JSON.stringify(work)])
      if (out === '') throw new Error(`The agent printed nothing: ${err}`)
      return JSON.parse(out) as string[]
    },
    trust: () => escrow('trust --yes', { terminal: true }),
  }
}

const ESCROW = () => join(compileOnce(), 'test/children/escrow.js')

function agentProgram(): string {
  return `
import { dirname } from 'node:path'
import { denialOf, openWorkspace } from ${JSON.stringify(join(compileOnce(), 'src/index.js'))}
const { id, intent, calls, after, uncontained } = JSON.parse(process.argv[2])
const outcomes = []
// Commands are contained only on x86-64. Hiding bubblewrap would not help: it is found in the system's directories.
if (uncontained) Object.defineProperty(process, 'arch', { value: 'arm64' })
const attempt = async (work) => {
  try {
    outcomes.push((await work()) ?? 'done')
  } catch (error) {
    outcomes.push('refused: ' + (denialOf(error)?.reason ?? error.reason ?? error))
  }
}
await attempt(async () => {
  const workspace = await openWorkspace('.')
  const session = await workspace.session({ id, agent: { model: 'some-model', tool: 'tester' } })
  const { fs } = session
  if (intent !== undefined) await session.selectIntent(intent)
  for (const [at, [path, text]] of calls.entries())
    await attempt(() => session.toolCall({ tool: 'write', kind: text === undefined ? 'read' : 'edit', id: 'call-' + at }, () => {
      if (text === undefined) return fs.readFileSync(path, 'utf8')
      if (!fs.existsSync(dirname(path))) fs.mkdirSync(dirname(path), { recursive: true })
      fs.writeFileSync(path, text)
    }))
  if (after) await attempt(async () => {
    const review = await workspace.review(id)
    await review.approve(undefined, { name: 'Ada' })
    const { id: tx } = await review.commit()
    if (after === 'undo') await workspace.undo(tx)
  })
  await workspace.close()
})
// The outcome of opening the session is recorded last.
console.log(JSON.stringify([outcomes.at(-1), ...outcomes.slice(0, -1)]))
`
}

type SpawnOptions = Required<Pick<RunOptions, 'env' | 'cwd'>> & RunOptions

function run(
  argv: readonly string[],
  { env, cwd, terminal, input = '', interrupt }: SpawnOptions,
): Promise<CommandResult> {
  const quoted = [process.execPath, ...argv].map((arg) => `'${arg.replaceAll("'", "'\\''")}'`).join(' ')
  const child = terminal
    ? spawn('script', ['-qec', quoted, '/dev/null'], { cwd, env })
    : spawn(process.execPath, argv, { cwd, env })
  let [out, err] = ['', '']
  let isInterrupted = false
  child.stdout.on('data', (chunk) => {
    out += String(chunk)
    if (!interrupt || isInterrupted || !out.includes('\n')) return
    isInterrupted = true
    if (terminal) child.stdin.write('\u0003')
    else child.kill('SIGINT')
  })
  child.stderr.on('data', (chunk) => {
    err += String(chunk)
  })
  // A process that ends early does not read its input.
  child.stdin.on('error', () => undefined)
  if (interrupt) child.stdin.write(input)
  else child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, out, err, all: out + err }))
  })
}

function readIfFile(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : undefined
}

/** A description of each path on a machine, except the state directory. */
export type Snapshot = ReadonlyMap<string, string>

export function snapshotOf({ dir }: Machine): Snapshot {
  const entries = new Map<string, string>()
  const walk = (name: string) => {
    const path = join(dir, name)
    const stats = lstatSync(path)
    const mode = (stats.mode & 0o7777).toString(8)
    if (stats.isSymbolicLink()) entries.set(name, `link to ${readlinkSync(path)}`)
    else if (stats.isFile()) entries.set(name, `file ${mode} ${sha256hex(readFileSync(path)).slice(0, 12)}`)
    else entries.set(name, `${stats.isDirectory() ? 'directory' : 'other'} ${mode}`)
    if (stats.isDirectory()) for (const child of readdirSync(path)) walk(`${name}/${child}`)
  }
  for (const name of ['clone', 'home', 'outside']) walk(name)
  return entries
}

/** Files that escrow may create: state in the layout of earlier versions, and files shared through git. */
const OURS =
  /^clone\/\.orchestration\/(?:(?:sessions|tx|commits|locks|ledger\.d)(?:\/|$)|agent_trace\.jsonl$|intent_map\.md$)/

/**
 * Lists the differences to an earlier snapshot.
 * @param writes Files below the root that the command is expected to change.
 */
export function unexpectedChanges(before: Snapshot, machine: Machine, writes: readonly string[] = []): string[] {
  const after = snapshotOf(machine)
  const allowed = new Set(writes.map((path) => `clone/${path}`))
  return [...new Set([...before.keys(), ...after.keys()])].sort().flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)]
    if (was === is || allowed.has(name) || (was === undefined && OURS.test(name))) return []
    return [`${name}: ${was ?? 'nothing'} -> ${is ?? 'nothing'}`]
  })
}

/** Files that a session in the clone may write there. */
export const OWN_WRITES = ['.orchestration/agent_trace.jsonl', '.orchestration/active_intents.yaml']
