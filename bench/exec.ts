import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { checkContainment, type RunningCommand } from '../src/index.js'
import { CONTAINMENTS } from '../src/terminal/containments.js'
import { keepOnly } from '../test/children/only-provider.js'
import type { Bench, Suite } from './bench.js'
import { RECURSIVE } from './facade/participants.js'
import type { Variant } from './harness.js'
import { contentOf, makeFiles, memoryPlace, namesOf, parentOf } from './places.js'
import { OURS } from './report.js'
import { ESCROW, personEnv, runTool, toolVersion } from './tools.js'
import { declareIntent, type Governed, govern } from './workspace.js'

const FILES = 1_000
const BYTES = 4_096
const PER_DIR = 100

const START_AIM = { of: 'ratio', atMost: 5.5 } as const
/** To the same command on layers of overlayfs. */
const COPY_AIM = { of: 'ratio', atMost: 1.5 } as const
/** Nanoseconds per file. */
const INGEST_AIM = { of: 'value', atMost: 40_000 } as const
/** Nanoseconds. */
const RUN_AIM = { of: 'value', atMost: 250e6 } as const

/** Measures contained commands: their start, input and output per file, and the slowdown of programs. */
export const exec: Suite = async (bench) => {
  const missing = (await checkContainment()).find(({ ok }) => !ok)
  if (missing) return bench.skip('commands', `not contained here: ${missing.name}: ${missing.problem}`)
  const { path } = memoryPlace()
  const small = await workspaceOf(`${path}/small`, 10)
  const large = await workspaceOf(`${path}/large`, bench.quick ? 5_000 : 50_000)
  await measureStart(bench, small, large)
  await measureRun(bench, `${path}/run`)
  await measureSeed(bench, small, `${path}/floor`)
  await measureIngest(bench, small)
  await measurePrograms(bench, large)
  for (const files of bench.quick ? [5_000] : [5_000, 50_000]) await measureProviders(bench, `${path}/providers`, files)
  for (const { governed } of [small, large]) await governed.workspace.close()
}

interface GovernedTree {
  readonly root: string
  readonly files: number
  readonly governed: Governed
}

async function workspaceOf(root: string, files: number): Promise<GovernedTree> {
  makeFiles(`${root}/src`, files, 100, PER_DIR)
  declareIntent(root)
  return { root, files, governed: await govern(root, 'bench', { durability: 'process' }) }
}

async function measureStart(bench: Bench, small: GovernedTree, large: GovernedTree): Promise<void> {
  const alone = ['unshare', '--user', '--map-root-user', '--mount', '--', 'true']
  await bench.compare({
    title: 'a command that does nothing',
    mode: 'async',
    aim: START_AIM,
    heavy: true,
    variants: [
      plain('spawn', small.root, ['true']),
      plain('unshare alone', small.root, alone),
      inside(`${OURS}, a tree of ${large.files.toLocaleString('en')} files`, large, ['true']),
      inside(OURS, small, ['true']),
    ],
  })
}

/** Milliseconds to wait for a new tree: commands on a copy compare each file again that changed in the last three seconds. */
const SETTLED_MS = 4_000
/** Milliseconds between two commands. An agent takes longer. */
const PAUSE_MS = 1_000

/** Measures a later command on each copy: the first makes it. */
async function measureProviders(bench: Bench, place: string, files: number): Promise<void> {
  const trees: { name: string; tree: GovernedTree }[] = []
  const absent: { name: string; reason: string }[] = []
  for (const containment of [...CONTAINMENTS]) {
    const attempt = await containment.attempt()
    if (!attempt.works) {
      absent.push({ name: containment.name, reason: attempt.failure.problem })
      continue
    }
    const tree = await workspaceOf(`${place}/${containment.name}-${files}`, files)
    const restore = keepOnly(containment.name)
    try {
      await tree.governed.session.exec(['true'])
    } finally {
      restore()
    }
    trees.push({ name: containment.name, tree })
  }
  const [overlay, ...copies] = trees
  if (overlay === undefined) return
  const title = (name: string) => `a later command in a tree of ${files.toLocaleString('en')} files, on ${name}`
  const before = () => wait(PAUSE_MS)
  await wait(SETTLED_MS)
  for (const { name, tree } of copies)
    await bench.compare({
      title: title(name),
      mode: 'async',
      aim: COPY_AIM,
      heavy: true,
      variants: [
        { ...inside(overlay.name, overlay.tree, ['true']), before },
        { ...inside(OURS, tree, ['true']), before },
      ],
    })
  for (const { name, reason } of absent) bench.skip(title(name), reason, COPY_AIM)
  for (const { tree } of trees) await tree.governed.workspace.close()
}

/** As long as an agent's usual line, because V8 optimized the parser only for longer ones than `true`. */
const LINE = 'cd src && ls -l | head -20 && grep -rn "content" --include="*.ts" . | wc -l || true'

/** Measures `escrow run -- true` as a person types it: a new process, a new session, and its summary. */
async function measureRun(bench: Bench, root: string): Promise<void> {
  const title = 'escrow run of a command that does nothing, in a new process'
  if (!existsSync(ESCROW)) return bench.skip(title, 'dist/ is missing: npm run build', RUN_AIM)
  makeFiles(`${root}/src`, 10, 100)
  declareIntent(root, { active: true })
  const program = (name: string, args: readonly string[]): Variant => ({
    name,
    run() {
      const { status } = spawnSync(process.execPath, args, { cwd: root, env: personEnv(), stdio: 'ignore' })
      if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
    },
  })
  const variants = [
    program(`node -e 0 (${process.version})`, ['-e', '0']),
    program(`${OURS}, a shell line of ${LINE.length} characters`, [ESCROW, 'run', '--', 'sh', '-c', LINE]),
    program(OURS, [ESCROW, 'run', '--', 'true']),
  ]
  await bench.compare({ title, mode: 'sync', aim: RUN_AIM, heavy: true, variants })
}

/** Measures adding staged files to the layers, in proportion to the changes since the last command. */
async function measureSeed(bench: Bench, { governed }: GovernedTree, floor: string): Promise<void> {
  const data = contentOf(BYTES)
  const paths = namesOf(`${floor}/made`, FILES, PER_DIR)
  const creating: Variant = {
    name: 'creating the files',
    before() {
      rmSync(floor, { recursive: true, force: true })
      for (const dir of new Set(paths.map(parentOf))) mkdirSync(dir, RECURSIVE)
    },
    run() {
      for (const path of paths) writeFileSync(path, data)
    },
  }
  const { fs } = governed.session
  let iteration = 0
  const seeding: Variant = {
    name: OURS,
    before() {
      iteration += 1
      for (const path of namesOf('made', FILES, PER_DIR)) {
        fs.mkdirSync(parentOf(path), RECURSIVE)
        fs.writeFileSync(path, Buffer.concat([data.subarray(8), Buffer.from(`${iteration}`.padEnd(8))]))
      }
    },
    run: () => governed.session.exec(['true']),
  }
  const title = `a command after ${FILES} files of 4 KB were staged, per file`
  await bench.compare({ title, mode: 'async', heavy: true, opsPerRun: FILES, variants: [creating, seeding] })
}

/** A shell loop that writes all files again on each SIGUSR1. */
const WRITE_LOOP = `turn=0; step() { turn=$((turn + 1)); i=0; mkdir -p other
while [ $i -lt ${FILES} ]; do echo "$turn $i" > other/f$i; i=$((i + 1)); done; echo "done $turn"; }
trap step USR1; echo ready; while :; do sleep 0.01; done`

/** Measures reading, checking and staging the changes of a command, without the command itself. */
async function measureIngest(bench: Bench, { governed, root }: GovernedTree): Promise<void> {
  const command = await governed.session.start(WRITE_LOOP)
  await waitForOutput(command, 'ready')
  makeFiles(`${root}/../read`, FILES, 16)
  const reading: Variant = {
    name: 'reading the files',
    run: () => namesOf(`${root}/../read`, FILES).map((path) => readFileSync(path).length),
  }
  let iteration = 0
  const ingesting: Variant = {
    name: OURS,
    async before() {
      iteration += 1
      command.kill('SIGUSR1')
      await waitForOutput(command, `done ${iteration}\n`)
    },
    async run() {
      const { effects } = await command.ingest()
      if (effects.changes.length !== FILES) throw new Error(`staged ${effects.changes.length} of ${FILES} files`)
    },
  }
  await bench.compare({
    title: `taking in ${FILES} files a command has changed, per file`,
    ...{ mode: 'async', heavy: true, opsPerRun: FILES, aim: INGEST_AIM },
    variants: [reading, ingesting],
  })
  await command.stop(0)
}

async function waitForOutput(command: RunningCommand, word: string): Promise<void> {
  while (!command.read().text.includes(word)) {
    if (command.state === 'ended') throw new Error(`the command ended: ${command.read().text}`)
    await wait(2)
  }
}

/** Measures programs that read a lot, inside and outside containment, including their start. */
async function measurePrograms(bench: Bench, large: GovernedTree): Promise<void> {
  const count = large.files.toLocaleString('en')
  const programs: Record<string, string[]> = {
    find: ['find', 'src', '-name', 'none'],
    grep: ['grep', '-r', 'none at all', 'src', '-c', '--include=f1.ts'],
  }
  const git = toolVersion('git')
  if (git === undefined) bench.skip(`git status in a tree of ${count} files`, 'git is not installed')
  else {
    const run = (...args: string[]) => runTool('git', ['-C', large.root, ...args])
    run('init', '-q')
    run('add', '-A')
    run('-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', 'commit', '-q', '-m', 'all')
    programs['git status'] = ['git', 'status', '--porcelain']
  }
  for (const [name, args] of Object.entries(programs))
    await bench.compare({
      title: `${name} in a tree of ${count} files`,
      mode: 'async',
      heavy: true,
      variants: [plain('outside', large.root, args), inside(OURS, large, args)],
    })
}

function plain(name: string, cwd: string, [program = '', ...args]: readonly string[]): Variant {
  return {
    name,
    run: () =>
      new Promise<void>((resolve, reject) => {
        const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
        child.stdout.resume()
        child.stderr.resume()
        child.once('error', reject)
        child.once('close', () => resolve())
      }),
  }
}

function inside(name: string, { governed }: GovernedTree, args: string[]): Variant {
  return {
    name,
    async run() {
      const { summary } = await governed.session.exec(args)
      if (!summary.startsWith('Nothing changed.')) throw new Error(`${args.join(' ')}: ${summary}`)
    },
  }
}
