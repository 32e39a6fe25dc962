import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { openWorkspace, type Review, type Workspace } from '../src/index.js'
import type { Bench, Suite } from './bench.js'
import type { Skipped, Variant } from './harness.js'
import { contentOf, memoryPlace, namesOf, parentOf } from './places.js'
import { OURS } from './report.js'
import { ESCROW, personEnv, runTool, toolVersion } from './tools.js'
import { declareIntent, govern } from './workspace.js'

const BYTES = 4_096
const PER_DIR = 20
const REVIEWER = { name: 'Bench' }

/** Measures what a person waits for: the change set of many files or one long file, a verdict on all, and the first screen. */
export const review: Suite = async (bench) => {
  const files = bench.quick ? 500 : 2_000
  const many = await pairOf('many', (turn) => {
    const content = contentOf(BYTES)
    return namesOf('src', files, PER_DIR).map((path) => [path, `${content}export const turn = '${turn} ${path}'\n`])
  })
  const lines = bench.quick ? 10_000 : 50_000
  const long = await pairOf('long', (turn) => {
    const text = Array.from({ length: lines / 2 }, (_, n) => `export const value${n} = compute('${turn}', ${n})\n`)
    return [['src/long.ts', text.join('')]]
  })
  await measureDiff(bench, `the diff of ${files.toLocaleString('en')} changed files`, many)
  await measureDiff(bench, `a diff of ${lines.toLocaleString('en')} lines in one file`, long)
  await measureApprove(bench, `a verdict on ${files.toLocaleString('en')} changed files`, many)
  await measureFirstScreen(bench)
}

/** The same changes twice: staged in a closed session, and in git's working tree. */
interface Pair {
  readonly root: string
  readonly session: string
  readonly git: string
  readonly version: string | undefined
}

type Contents = (turn: 'before' | 'after') => (readonly [path: string, text: string])[]

async function pairOf(session: string, contents: Contents): Promise<Pair> {
  const place = memoryPlace().path
  const pair = { root: `${place}/ours`, session, git: `${place}/git`, version: toolVersion('git') }
  lay(pair.root, contents('before'))
  declareIntent(pair.root)
  const { workspace, session: writer } = await govern(pair.root, session, { durability: 'process' })
  for (const [path, text] of contents('after')) writer.fs.writeFileSync(path, text)
  await workspace.close()
  if (pair.version === undefined) return pair
  lay(pair.git, contents('before'))
  const git = gitIn(pair)
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', 'commit', '-q', '-m', 'all')
  lay(pair.git, contents('after'))
  return pair
}

function lay(root: string, files: ReturnType<Contents>): void {
  for (const [path, text] of files) {
    mkdirSync(parentOf(`${root}/${path}`), { recursive: true })
    writeFileSync(`${root}/${path}`, text)
  }
}

const gitIn =
  ({ git }: Pair) =>
  (...args: string[]) =>
    runTool('git', ['-C', git, ...args])

/** The baseline, if git is installed. */
function sidesOf(pair: Pair, name: string, variant: Omit<Variant, 'name'>): { variants: Variant[]; absent: Skipped[] } {
  if (pair.version === undefined) return { variants: [], absent: [{ name, reason: 'git is not installed' }] }
  return { variants: [{ name: `${name} (${pair.version})`, ...variant }], absent: [] }
}

/** Runs in one process: modules are loaded, and the workspace is opened again each time. */
async function measureDiff(bench: Bench, title: string, pair: Pair): Promise<void> {
  const { variants, absent } = sidesOf(pair, 'git diff', { run: () => gitIn(pair)('diff') })
  const ours = reviewing(pair, async (review) => {
    const { changes } = await review.changes()
    return changes.reduce((sum, { hunks }) => sum + hunks.length, 0)
  })
  await bench.compare({ title, mode: 'async', heavy: true, variants: [...variants, ours], absent })
}

async function measureApprove(bench: Bench, title: string, pair: Pair): Promise<void> {
  const git = gitIn(pair)
  const { variants, absent } = sidesOf(pair, 'git add', {
    before: () => git('reset', '-q'),
    run: () => git('add', '-A'),
  })
  const ours = reviewing(pair, (review) => review.approve(undefined, REVIEWER))
  await bench.compare({ title, mode: 'async', heavy: true, variants: [...variants, ours], absent })
}

function reviewing({ root, session }: Pair, look: (review: Review) => Promise<unknown>): Variant {
  let last: Workspace | undefined
  return {
    name: OURS,
    before: () => last?.close(),
    async run() {
      last = await openWorkspace(root)
      return look(await last.review(session))
    },
  }
}

const SCREEN_AIM = { of: 'value', atMost: 300e6 } as const
const SHOWN = 50

/** Measures from the start of the process to readable output. Both variants run in a terminal of script(1). */
async function measureFirstScreen(bench: Bench): Promise<void> {
  const title = `the first screen of escrow review, ${SHOWN} changed files`
  if (!existsSync(ESCROW)) return bench.skip(title, 'dist/ is missing: npm run build', SCREEN_AIM)
  if (toolVersion('script') === undefined) return bench.skip(title, 'script(1) is not installed', SCREEN_AIM)
  const { root, session } = await pairOf('screen', (turn) =>
    namesOf('src', SHOWN, PER_DIR).map((path) => [path, `${contentOf(BYTES)}export const turn = '${turn}'\n`]),
  )
  const left: ChildProcess[] = []
  const leave = async () => {
    for (const child of left.splice(0)) {
      child.stdin?.end('q')
      if (child.exitCode === null) await once(child, 'close')
    }
  }
  const floor: Variant = {
    name: `node -e 0 (${process.version})`,
    run: () => once(inTerminal(root, `'${process.execPath}' -e 0`), 'close'),
  }
  const ours: Variant = {
    name: OURS,
    before: leave,
    run() {
      const child = inTerminal(root, `'${process.execPath}' '${ESCROW}' review ${session}`)
      left.push(child)
      return shown(child, `1/${SHOWN}`)
    },
  }
  try {
    await bench.compare({ title, mode: 'async', aim: SCREEN_AIM, heavy: true, variants: [floor, ours] })
  } finally {
    await leave()
  }
}

/** Resolves once the screen has the text. */
function shown({ stdout }: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let screen = ''
    stdout?.on('data', (chunk) => {
      screen += String(chunk)
      if (screen.includes(text)) resolve()
    })
    stdout?.once('end', () => reject(new Error(`The review showed ${screen}`)))
  })
}

function inTerminal(cwd: string, command: string): ChildProcess {
  const env = { ...personEnv(), TERM: 'xterm-256color', LC_ALL: 'C.UTF-8' }
  return spawn('script', ['-qec', command, '/dev/null'], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
}
