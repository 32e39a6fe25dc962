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
 * An attacker makes a repository, a victim clones it, and runs the real command there. What the command did is judged by the
 * disk alone: by what stands in the clone, in the victim's home, and in a directory of theirs beside the clone.
 */

export interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
  /** Both. */
  readonly all: string
}

export interface RunOptions {
  /** The command runs in a terminal, where a person is. */
  readonly terminal?: true
  /** What the command reads. */
  readonly input?: string
  readonly env?: NodeJS.ProcessEnv
  /** Ctrl-C once it has printed a line: it would never end. */
  readonly interrupt?: true
  /** Where it runs; the clone unless told. */
  readonly cwd?: string
}

/** What an agent tries in one session; a call without a text reads the file. */
export interface Work {
  readonly id: string
  readonly intent?: string
  readonly calls: readonly (readonly [path: string, text?: string])[]
  /** Its person approves and commits all of it; `undo` stages the inverse of that as well. */
  readonly lands?: 'commit' | 'undo'
  /** Its machine is one on which no command can be contained. */
  readonly bare?: true
}

/** A person's machine: a home, a state directory, a directory full of things they need, and a repository. */
export interface Machine {
  readonly dir: string
  readonly root: string
  write(path: string, text: string, mode?: number): void
  link(path: string, target: string): void
  /** The text of a file below the root; undefined where there is none. */
  text(path: string): string | undefined
  git(...args: string[]): string
  /** Commits all there is, also what our own .gitignore would keep out. */
  commit(): void
  escrow(line: string, options?: RunOptions): Promise<Ran>
  /** What came of each call, the selection first: `done`, the text that was read, or `refused: <reason>`. */
  agent(work: Work): Promise<string[]>
  /** The person trusts what the tree asks for. */
  trust(): Promise<Ran>
}

export const INTENTS = `active_intents:
  - id: INT-001
    name: Sources
    status: IN_PROGRESS
    owned_scope: ["src/**"]
`

/** A file the victim's shell runs as it starts. */
export const START_FILE = '# mine\nexport EDITOR=vi\n'

/**
 * The attacker's repository, made once for a suite: of an honest workspace and what `build` makes of it.
 * @returns clones it for one victim; at a branch, where one is named.
 */
export function hostileRepository(build: (attacker: Machine) => Promise<void> | void): (branch?: string) => Machine {
  const attacker = ownRepository(build)
  return (branch) => cloneOf(attacker(), branch)
}

/** The machine of somebody who made a repository there: of an honest workspace and what `build` makes of it; once for a suite. */
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

/** Somebody else's clone, gone after the test. */
export function cloneOf({ root }: Machine, branch?: string): Machine {
  const machine = newMachine()
  onTestFinished(() => rmSync(machine.dir, { recursive: true, force: true }))
  git(machine.dir, 'clone', '-q', ...(branch === undefined ? [] : ['-b', branch]), root, machine.root)
  return machine
}

function newMachine(): Machine {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'escrow-hostile-')))
  const root = join(dir, 'clone')
  const put = (path: string, text: string, mode = 0o644) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    chmodSync(path, mode)
  }
  put(join(dir, 'home/.bashrc'), START_FILE)
  put(join(dir, 'home/.zshenv'), '')
  // Of another project: what a command would take for its own, and write to.
  put(join(dir, 'home/plan.yaml'), INTENTS)
  put(join(dir, 'home/rules.yaml'), 'access: {}\n')
  put(join(dir, 'home/map.md'), '# Intent Map\n')
  put(join(dir, 'home/template.yaml'), 'summary: mine\n')
  // Some have names of ours.
  for (const name of ['photo.jpg', '1', '2', '2.done', '1.conflicts', '.new-letter', '3-0badc0de/letter.txt'])
    put(join(dir, 'outside', name), `the only copy of ${name}\n`)
  // A lock is a directory: an old one is taken for one that nobody holds.
  for (const name of ['commit', 'intents', 'intent_map', 'ledger']) {
    mkdirSync(join(dir, 'outside', `${name}.lock`))
    utimesSync(join(dir, 'outside', `${name}.lock`), 1, 1)
  }
  const env = { PATH: process.env.PATH, HOME: join(dir, 'home'), XDG_STATE_HOME: join(dir, 'state'), NO_COLOR: '1' }
  const start = (words: readonly string[], options: RunOptions = {}) =>
    run(words, { cwd: root, ...options, env: { ...env, ...options.env } })
  const escrow = (line: string, options?: RunOptions) => start([ESCROW(), ...line.split(' ')], options)
  return {
    dir,
    root,
    write: (path, text, mode) => put(join(root, path), text, mode),
    link(path, target) {
      rmSync(join(root, path), { recursive: true, force: true })
      mkdirSync(dirname(join(root, path)), { recursive: true })
      symlinkSync(target, join(root, path))
    },
    text: (path) => textAt(join(root, path)),
    git: (...args) => git(root, ...args),
    commit() {
      git(root, 'add', '-A', '-f')
      git(root, 'commit', '-q', '--allow-empty', '-m', 'work')
    },
    escrow,
    async agent(work) {
      put(join(dir, 'agent.mjs'), agentProgram())
      const { out, err } = await start([join(dir, 'agent.mjs'), JSON.stringify(work)])
      if (out === '') throw new Error(`The agent said nothing: ${err}`)
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
const { id, intent, calls, lands, bare } = JSON.parse(process.argv[2])
const outcomes = []
// Commands are contained on x86-64 alone. To hide bubblewrap would not do: it is looked for in the system's own places.
if (bare) Object.defineProperty(process, 'arch', { value: 'arm64' })
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
  if (lands) await attempt(async () => {
    const review = await workspace.review(id)
    await review.approve(undefined, { name: 'Ada' })
    const { id: tx } = await review.commit()
    if (lands === 'undo') await workspace.undo(tx)
  })
  await workspace.close()
})
// What opened and selected comes last.
console.log(JSON.stringify([outcomes.at(-1), ...outcomes.slice(0, -1)]))
`
}

type Started = Required<Pick<RunOptions, 'env' | 'cwd'>> & RunOptions

function run(words: readonly string[], { env, cwd, terminal, input = '', interrupt }: Started): Promise<Ran> {
  const quoted = [process.execPath, ...words].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const child = terminal
    ? spawn('script', ['-qec', quoted, '/dev/null'], { cwd, env })
    : spawn(process.execPath, words, { cwd, env })
  let [out, err] = ['', '']
  let isEnded = false
  child.stdout.on('data', (chunk) => {
    out += String(chunk)
    if (!interrupt || isEnded || !out.includes('\n')) return
    isEnded = true
    if (terminal) child.stdin.write('\u0003')
    else child.kill('SIGINT')
  })
  child.stderr.on('data', (chunk) => {
    err += String(chunk)
  })
  // Who ends early reads no input.
  child.stdin.on('error', () => undefined)
  if (interrupt) child.stdin.write(input)
  else child.stdin.end(input)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, out, err, all: out + err }))
  })
}

function textAt(path: string): string | undefined {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path, 'utf8') : undefined
}

/** Each name on a machine with what stands there, but for the state directory. */
export type Picture = ReadonlyMap<string, string>

export function pictureOf({ dir }: Machine): Picture {
  const seen = new Map<string, string>()
  const walk = (name: string) => {
    const path = join(dir, name)
    const stats = lstatSync(path)
    const mode = (stats.mode & 0o7777).toString(8)
    if (stats.isSymbolicLink()) seen.set(name, `link to ${readlinkSync(path)}`)
    else if (stats.isFile()) seen.set(name, `file ${mode} ${sha256hex(readFileSync(path)).slice(0, 12)}`)
    else seen.set(name, `${stats.isDirectory() ? 'directory' : 'other'} ${mode}`)
    if (stats.isDirectory()) for (const each of readdirSync(path)) walk(`${name}/${each}`)
  }
  for (const name of ['clone', 'home', 'outside']) walk(name)
  return seen
}

/** What we may make where there was nothing: state as earlier versions keep it, and what git shares. */
const OURS =
  /^clone\/\.orchestration\/(?:(?:sessions|tx|commits|locks|ledger\.d)(?:\/|$)|agent_trace\.jsonl$|intent_map\.md$)/

/**
 * What is other than git clone and the person left it; `writes`: files below the root that the command is there to change.
 */
export function damage(before: Picture, machine: Machine, writes: readonly string[] = []): string[] {
  const now = pictureOf(machine)
  const may = new Set(writes.map((path) => `clone/${path}`))
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((name) => {
    const [was, is] = [before.get(name), now.get(name)]
    if (was === is || may.has(name) || (was === undefined && OURS.test(name))) return []
    return [`${name}: ${was ?? 'nothing'} -> ${is ?? 'nothing'}`]
  })
}

/** What a session's work in the clone may write there. */
export const OWN_WRITES = ['.orchestration/agent_trace.jsonl', '.orchestration/active_intents.yaml']
