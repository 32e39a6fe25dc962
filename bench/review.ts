import { mkdirSync, writeFileSync } from 'node:fs'
import { openWorkspace, type Review, type Workspace } from '../src/index.js'
import type { Bench, Suite } from './bench.js'
import type { Skipped, Variant } from './harness.js'
import { contentOf, memoryPlace, namesOf, parentOf } from './places.js'
import { OURS } from './report.js'
import { runTool, toolVersion } from './tools.js'
import { declareIntent, govern } from './workspace.js'

const BYTES = 4_096
const PER_DIR = 20
const REVIEWER = { name: 'Bench' }

/** What a person waits for: the change set of many files, of one long file, and a verdict on all. */
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
}

/** The same change twice: staged in a session that is at rest, and in git's working tree. */
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

/** git's side where there is a git: the baseline. */
function sidesOf(pair: Pair, name: string, variant: Omit<Variant, 'name'>): { variants: Variant[]; absent: Skipped[] } {
  if (pair.version === undefined) return { variants: [], absent: [{ name, reason: 'git is not installed' }] }
  return { variants: [{ name: `${name} (${pair.version})`, ...variant }], absent: [] }
}

/** In the process of a reviewer that stays: the workspace is opened anew each time, its modules are loaded. */
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
