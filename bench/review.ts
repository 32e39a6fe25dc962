import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { setImmediate } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { diffStage } from '../overlay/index.js'
import { createMeasure } from '../src/change-class/index.js'
import { openWorkspace, type Review, type Workspace } from '../src/index.js'
import { layoutAt } from '../src/os/workspace-state.js'
import { openClassCache } from '../src/stage/class-cache.js'
import { beforeOf, readStage } from '../src/stage/index.js'
import { CHROMIUM, openBrowser } from '../test/support/browser.js'
import type { Bench, Suite } from './bench.js'
import type { Skipped, Variant } from './harness.js'
import { contentOf, memoryPlace, namesOf, parentOf } from './places.js'
import { type Aim, OURS } from './report.js'
import { ESCROW, personEnv, runTool, toolVersion } from './tools.js'
import { declareIntent, govern } from './workspace.js'

const BYTES = 4_096
/** Whole lines: a file that does not parse has no class. */
const SOURCE = 59 * 68
const PER_DIR = 20
const REVIEWER = { name: 'Bench' }

/**
 * Measures what a person waits for: the change set of many files or one long file, a verdict on all, and the first
 * screen.
 */
export const review: Suite = async (bench) => {
  const files = bench.quick ? 500 : 2_000
  const many = await pairOf('many', (side) => {
    const content = contentOf(BYTES)
    return namesOf('src', files, PER_DIR).map((path) => [path, `${content}export const turn = '${side} ${path}'\n`])
  })
  const lines = bench.quick ? 10_000 : 50_000
  const long = await pairOf('long', (side) => {
    const text = Array.from({ length: lines / 2 }, (_, n) => `export const value${n} = compute('${side}', ${n})\n`)
    return [['src/long.ts', text.join('')]]
  })
  await measureDiff(bench, `the diff of ${files.toLocaleString('en')} changed files`, many)
  await measureDiff(bench, `a diff of ${lines.toLocaleString('en')} lines in one file`, long)
  await measureApprove(bench, `a verdict on ${files.toLocaleString('en')} changed files`, many)
  await measureClasses(bench)
  await measureFirstScreen(bench, 50, { of: 'value', atMost: 200e6 })
  await measureFirstScreen(bench, files, { of: 'value', atMost: 400e6 })
  await measureFirstPaint(bench, many)
}

/** The same changes twice: staged in a closed session, and in git's working tree. */
interface Pair {
  readonly root: string
  readonly session: string
  readonly git: string
  readonly version: string | undefined
}

type Contents = (side: 'before' | 'after') => (readonly [path: string, text: string])[]

async function pairOf(session: string, contents: Contents): Promise<Pair> {
  const place = memoryPlace().path
  const pair = { root: `${place}/ours`, session, git: `${place}/git`, version: toolVersion('git') }
  writeFiles(pair.root, contents('before'))
  declareIntent(pair.root)
  const { workspace, session: writer } = await govern(pair.root, session, { durability: 'process' })
  for (const [path, text] of contents('after')) writer.fs.writeFileSync(path, text)
  await workspace.close()
  if (pair.version === undefined) return pair
  writeFiles(pair.git, contents('before'))
  const git = gitIn(pair)
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', 'commit', '-q', '-m', 'all')
  writeFiles(pair.git, contents('after'))
  return pair
}

function writeFiles(root: string, files: ReturnType<Contents>): void {
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

function reviewing({ root, session }: Pair, visit: (review: Review) => Promise<unknown>): Variant {
  let last: Workspace | undefined
  return {
    name: OURS,
    before: () => last?.close(),
    async run() {
      last = await openWorkspace(root)
      return visit(await last.review(session))
    },
  }
}

/** Nanoseconds a file. */
const CLASS_AIM = { of: 'value', atMost: 100_000 } as const

/** Measures the classes of changed source files, as a review or an approval needs them, and again from the cache of another process. */
async function measureClasses(bench: Bench): Promise<void> {
  const count = bench.quick ? 100 : 1_000
  const { root, session } = await pairOf('classes', (side) =>
    namesOf('src', count, PER_DIR).map((path, n) => [path, `${contentOf(SOURCE)}const turn${n} = '${side}'\n`]),
  )
  const layout = layoutAt(realpathSync(root))
  const { classes } = layout
  const measuring = (name: string, isEmpty: boolean): Variant => ({
    name,
    async before() {
      // The previous run writes its classes to the file after it ends.
      await setImmediate()
      if (isEmpty) rmSync(classes, { force: true })
    },
    async run() {
      const store = readStage(layout, session)
      const known = openClassCache(classes)
      const measure = createMeasure(known, Number.MAX_SAFE_INTEGER)
      for (const change of diffStage(store.overlay).changes)
        await measure(change, () => ({ before: beforeOf(store, change), after: change.content() }))
    },
  })
  await bench.compare({
    title: `classes of ${count.toLocaleString('en')} changed files of 4 KB, per file`,
    ...{ mode: 'async', heavy: true, opsPerRun: count, aim: CLASS_AIM },
    variants: [measuring('parsed, with an empty cache', true), measuring(OURS, false)],
  })
}

/** Measures from the start of the process to readable output. Both variants run in a terminal of script(1). */
async function measureFirstScreen(bench: Bench, files: number, aim: Aim): Promise<void> {
  const title = `the first screen of escrow review, ${files.toLocaleString('en')} changed files`
  if (!existsSync(ESCROW)) return bench.skip(title, 'dist/ is missing: npm run build', aim)
  if (toolVersion('script') === undefined) return bench.skip(title, 'script(1) is not installed', aim)
  const { root, session } = await pairOf(`screen-${files}`, (side) =>
    namesOf('src', files, PER_DIR).map((path) => [path, `${contentOf(BYTES)}export const turn = '${side}'\n`]),
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
      return waitForText(child, `1/${files}`)
    },
  }
  try {
    await bench.compare({ title, mode: 'async', aim, heavy: true, variants: [floor, ours] })
  } finally {
    await leave()
  }
}

const PAINT_AIM = { of: 'value', atMost: 500e6 } as const

/** Measures the review page in a running browser: from the request to the first file of the list. Each run starts a server. */
async function measureFirstPaint(bench: Bench, { root, session }: Pair): Promise<void> {
  const title = 'the review page, up to its list of files'
  if (!existsSync(ESCROW)) return bench.skip(title, 'dist/ is missing: npm run build', PAINT_AIM)
  if (toolVersion(CHROMIUM) === undefined) return bench.skip(title, 'Chromium is not installed', PAINT_AIM)
  const browser = await openBrowser()
  let close = async () => undefined
  let page: Page | undefined
  let address = ''
  const before = async () => {
    await close()
    const server = spawn(process.execPath, [ESCROW, 'serve'], {
      cwd: root,
      env: personEnv(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = await once(server.stdout, 'data')
    address = `${String(line).trim()}#/review/${session}`
    page = await browser.page('about:blank')
    close = async () => {
      await page?.close()
      server.kill()
      if (server.exitCode === null) await once(server, 'close')
    }
  }
  const ours: Variant = {
    name: OURS,
    before,
    async run() {
      await page?.goto(address)
      await page?.locator('.files .file').first().waitFor()
    },
  }
  try {
    await bench.compare({ title, mode: 'async', aim: PAINT_AIM, heavy: true, variants: [ours] })
  } finally {
    await close()
    await browser.close()
  }
}

/** Resolves once the screen has the text. */
function waitForText({ stdout }: ChildProcess, text: string): Promise<void> {
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
