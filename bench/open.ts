import type { Bench, Suite } from './bench.js'
import { RECURSIVE, writeFiles } from './facade/participants.js'
import { ourSubject } from './facade/subjects.js'
import type { Variant } from './harness.js'
import { makeFiles, memoryPlace } from './places.js'
import { OURS } from './report.js'
import { runTool, toolVersion } from './tools.js'
import { declareIntent, type Governed, govern } from './workspace.js'

const AIM = { of: 'value', atMost: 30e6 } as const
/** For up to 100,000 staged files. */
const RESUME_AIM = { of: 'value', atMost: 1e9 } as const
const PER_DIR = 100

/** Measures opening a workspace up to the first read and write. Nothing is scanned, so its size must not matter. */
export const open: Suite = async (bench) => {
  const files = bench.quick ? 5_000 : 50_000
  const root = `${memoryPlace().path}/workspace`
  makeFiles(`${root}/src`, files, 100, PER_DIR)
  declareIntent(root)
  const { variants, absent } = gitStatus(root)
  const title = `open, select, first read and write in a workspace of ${files.toLocaleString('en')} files`
  const ours = opening(root, 'open')
  await bench.compare({ title, mode: 'async', aim: AIM, heavy: true, variants: [...variants, ours], absent })
  await measureResume(bench, root)
}

/** Measures resuming a session with staged files, which is replayed from its log. */
async function measureResume(bench: Bench, root: string): Promise<void> {
  for (const staged of bench.quick ? [1_000] : [1_000, 10_000, 100_000]) {
    const id = `resume-${staged}`
    const directories = { lower: root, raw: root, spare: root }
    const abandoned = await ourSubject(directories, id, 'process')
    abandoned.sync?.mkdirSync(`${root}/other`, RECURSIVE)
    await writeFiles(abandoned, 'other', staged, 4_096, PER_DIR)
    await abandoned.close()
    const title = `the same, resuming a session with ${staged.toLocaleString('en')} files of 4 KB staged`
    await bench.compare({ title, mode: 'async', aim: RESUME_AIM, heavy: true, variants: [opening(root, id)] })
  }
}

function opening(root: string, id: string): Variant {
  let last: Governed | undefined
  return {
    name: OURS,
    before: () => last?.workspace.close(),
    async run(iteration) {
      last = await govern(root, id, { durability: 'process' })
      const { fs } = last.session
      fs.readFileSync(`${root}/src/d0/f0.ts`)
      fs.writeFileSync(`${root}/src/d0/f1.ts`, `turn ${iteration}`)
    },
  }
}

function gitStatus(root: string) {
  const version = toolVersion('git')
  if (version === undefined) return { variants: [], absent: [{ name: 'git status', reason: 'git is not installed' }] }
  const git = (...args: string[]) => runTool('git', ['-C', root, ...args])
  git('init', '-q')
  git('add', '-A')
  git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.org', 'commit', '-q', '-m', 'all')
  const run = () => git('status', '--porcelain')
  return { variants: [{ name: `git status (${version})`, run }], absent: [] }
}
