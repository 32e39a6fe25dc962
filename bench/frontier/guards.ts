import fs from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { BoxOptions, Mount } from './box.js'
import { type Command, type Order, POLICIES } from './order.js'

/** A way to run an agent's command on a machine. */
export interface Guard {
  readonly name: string
  readonly box: BoxOptions
  /** Files of a machine where it has run before, by their path from the root. */
  readonly kept?: Readonly<Record<string, string>>
  /** The command line, and files of `/listen` that it needs. @param answers whether a person approves everything */
  start(command: Command, answers: boolean, limit: number): Start
}

export interface Start {
  readonly argv: readonly string[]
  readonly files: Readonly<Record<string, string>>
  /** Additional seconds for the guard. */
  readonly more: number
}

/** The time limit of a command in seconds. Scripts that watch or serve do not end. */
export const LIMIT = 4

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
/**
 * Programs that the bench or a person installed: `srt`, `try`, `python` with modules, `programs` with packages of the
 * system.
 */
export const PEERS = join(REPOSITORY, '.cache', 'frontier')

const lineOf = (command: Command): readonly string[] =>
  typeof command === 'string' ? ['/bin/sh', '-c', command] : command
const shellQuote = (argv: readonly string[]) => argv.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')

/** Programs and modules that the scripts expect and this machine may lack. Every machine of the comparison has them. */
const TOOLS: readonly Mount[] = [
  [join(PEERS, 'programs'), '/tools'],
  [join(PEERS, 'python'), '/tools-python'],
  [join(PEERS, 'packages/node_modules'), '/node_modules'],
]
const LIBRARIES = '/tools/usr/lib/x86_64-linux-gnu:/tools/lib/x86_64-linux-gnu'

function boxWith(mounts: readonly Mount[], more: Partial<BoxOptions> = {}): BoxOptions {
  return Object.assign({ mounts: [...TOOLS, ...mounts], env: { PYTHONPATH: '/tools-python' } }, more)
}

export const plain: Guard = {
  name: 'plain',
  box: boxWith([]),
  start: (command) => ({ argv: lineOf(command), files: {}, more: 0 }),
}

/** A common configuration: a read-only root, the workspace writable, no network. */
const bubblewrap: Guard = {
  name: 'bubblewrap',
  box: boxWith([]),
  start: (command) => ({
    argv: [
      ...[
        'bwrap',
        '--unshare-all',
        '--die-with-parent',
        '--new-session',
        '--ro-bind',
        '/',
        '/',
        '--bind',
        '/ws',
        '/ws',
      ],
      ...['--tmpfs', '/tmp', '--dev', '/dev', '--proc', '/proc', '--chdir', '/ws', '--'],
      ...lineOf(command),
    ],
    files: {},
    more: 1,
  }),
}

/** The settings of the example in its README, with the secrets of the workspace. */
const SRT_SETTINGS = {
  filesystem: { denyRead: ['~/.ssh', '~/.aws', '.env'], allowWrite: ['.', '/tmp'], denyWrite: ['.env'] },
  network: { allowedDomains: [], deniedDomains: [] },
}

function srt(directory: string): Guard {
  const program = '/guard/srt/node_modules/@anthropic-ai/sandbox-runtime/dist/cli.js'
  return {
    name: 'srt',
    box: boxWith([[directory, '/guard/srt']], { env: { PYTHONPATH: '/tools-python', LD_LIBRARY_PATH: LIBRARIES } }),
    start: (command) => ({
      argv: ['node', program, '--settings', '/listen/srt.json', '-c', shellQuote(lineOf(command))],
      files: { 'srt.json': JSON.stringify(SRT_SETTINGS) },
      more: 4,
    }),
  }
}

function tryGuard(program: string): Guard {
  return {
    name: 'try',
    box: boxWith([], { hasLinkedPrograms: true }),
    start: (command, answers) => ({
      argv: ['/bin/sh', '/listen/try', answers ? '-y' : '-n', '/bin/sh', '/listen/command'],
      files: { command: `exec ${shellQuote(lineOf(command))}\n`, try: fs.readFileSync(program, 'utf8') },
      more: 4,
    }),
  }
}

/** The program that runs in the throw-away machine, with its imports. */
const INSIDE = ['inside.ts', 'order.ts']
const compiledName = (name: string) => name.replace(/ts$/, 'js')

function escrow(name: string, policy: string, program: string): Guard {
  const parts = ['src', 'overlay', 'web'].map((part): Mount => [join(REPOSITORY, 'dist', part), `/escrow/dist/${part}`])
  const modules = dirname(dirname(createRequire(import.meta.url).resolve('zod/package.json')))
  return {
    name: `escrowfs, ${name}`,
    box: boxWith(
      [
        ...parts,
        [modules, '/escrow/node_modules'],
        [join(REPOSITORY, 'package.json'), '/escrow/package.json'],
        ...INSIDE.map(compiledName).map((file): Mount => [`${program}/${file}`, `/escrow/dist/bench/frontier/${file}`]),
      ],
      { env: { PYTHONPATH: '/tools-python', XDG_STATE_HOME: '/state' } },
    ),
    start: (command, answers, limit) => ({
      argv: ['node', '/escrow/dist/bench/frontier/inside.js'],
      files: {
        'order.json': JSON.stringify({ policy, command, answers, network: name === 'loose', limit } satisfies Order),
      },
      more: 8,
    }),
  }
}

/** Compiles the program that runs in the throw-away machine into a directory. */
async function compile(directory: string): Promise<void> {
  const { default: ts } = await import('typescript')
  fs.mkdirSync(directory, { recursive: true })
  for (const name of INSIDE) {
    const source = fs.readFileSync(new URL(name, import.meta.url), 'utf8')
    const { outputText } = ts.transpileModule(source, {
      compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
    })
    fs.writeFileSync(join(directory, compiledName(name)), outputText)
  }
}

/**
 * The guards that this machine has, and the reasons why it lacks others. @param base a directory for compiled programs
 */
export async function guards(
  base: string,
  isQuick: boolean,
): Promise<{ found: Guard[]; absent: { name: string; reason: string }[] }> {
  if (!fs.existsSync(join(REPOSITORY, 'dist/src/index.js')))
    throw new Error('The frontier runs the built package: npm run build')
  await compile(`${base}/inside`)
  const policies = Object.entries(POLICIES).filter(([name]) => !isQuick || name === 'default')
  const found = [...policies.map(([name, policy]) => escrow(name, policy, `${base}/inside`)), bubblewrap]
  const absent: { name: string; reason: string }[] = []
  const add = (guard: Guard, needs: readonly (readonly [path: string, reason: string])[]) => {
    const missing = needs.filter(([path]) => !fs.existsSync(path)).map(([, reason]) => reason)
    if (missing.length === 0) found.push(guard)
    else absent.push({ name: guard.name, reason: missing.join('; ') })
  }
  const has = (program: string) =>
    [`/usr/bin/${program}`, join(PEERS, 'programs/usr/bin', program)].find((path) => fs.existsSync(path)) ??
    `/usr/bin/${program}`
  add(srt(join(PEERS, 'srt')), [
    [
      join(PEERS, 'srt/node_modules/@anthropic-ai/sandbox-runtime'),
      'not installed: npm install --prefix .cache/frontier/srt @anthropic-ai/sandbox-runtime',
    ],
    [has('socat'), 'needs socat'],
    [has('rg'), 'needs ripgrep'],
  ])
  add(tryGuard(join(PEERS, 'try')), [
    [join(PEERS, 'try'), 'the script of github.com/binpash/try is not at .cache/frontier/try'],
    [has('getfattr'), 'needs getfattr'],
  ])
  return { found, absent }
}
