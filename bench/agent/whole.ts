import { cpSync, mkdirSync, rmSync } from 'node:fs'
import type { Bench } from '../bench.js'
import { type Directories, rawSubject, type Subject } from '../facade/subjects.js'
import type { Skipped, Variant } from '../harness.js'
import { OURS } from '../report.js'
import { runTool, toolVersion } from '../tools.js'
import { govern } from '../workspace.js'
import { CALLS, callsOf } from './mix.js'
import { prepare, runCalls } from './run-calls.js'

/** Calls between two checkpoints of a shadow repository. One tool call of an agent makes many calls of node:fs. */
const CALLS_EACH = 100

/** Measures a run from its start to the list of changes, compared with other kinds of isolation. */
export async function measureWhole(bench: Bench, directories: Directories, files: number): Promise<void> {
  const { variants, absent } = others(directories, files)
  const title = `the same run from its start to the list of what changed, ${files.toLocaleString('en')} files`
  const alone = isolatedBy('node:fs, kept apart by nothing', files, async () => directories.raw)
  const all = [alone, governedVariant(directories, files), ...variants]
  await bench.compare({ title, mode: 'async', heavy: true, variants: all, absent })
}

function governedVariant({ lower }: Directories, files: number): Variant {
  let run = 0
  return {
    name: OURS,
    before: () => {
      run += 1
    },
    async run() {
      const { workspace, session } = await govern(lower, `whole-${run}`, { durability: 'process' })
      const player = { root: lower, sync: session.fs, promises: session.fs.promises }
      await prepare(player, files, run)
      await runCalls(player, callsOf(files, run))
      await session.close()
      const { changes } = await (await workspace.review(`whole-${run}`)).changes()
      await workspace.close()
      return changes.length
    },
  }
}

function others(directories: Directories, files: number): { variants: Variant[]; absent: Skipped[] } {
  const [git, rsync] = [toolVersion('git'), toolVersion('rsync')]
  const base = `${directories.spare}/tools`
  mkdirSync(base)
  const makers: [string, string | undefined, (name: string) => Variant][] = [
    ['git worktree', git, (name) => worktree(name, directories, base, files)],
    [`shadow git, a checkpoint each ${CALLS_EACH} calls`, git, (name) => shadowGit(name, directories, base, files)],
    ['rsync -a, there and compared', rsync, (name) => rsyncCopy(name, directories, base, files)],
  ]
  return {
    variants: makers.flatMap(([name, version, make]) => (version === undefined ? [] : [make(`${name} (${version})`)])),
    absent: makers.flatMap(([name, version]) => (version === undefined ? [{ name, reason: 'not installed' }] : [])),
  }
}

interface Isolation {
  /** Prepares and returns the run's directory. This is measured. */
  begin(run: number): Promise<string>
  /** Called after every {@link CALLS_EACH} calls. */
  checkpoint?(run: number): void
  /** Lists the changes. */
  end?(run: number): unknown
  /** Not measured. */
  clear?(run: number): void
}

function isolatedBy(
  name: string,
  files: number,
  begin: Isolation['begin'],
  more: Omit<Isolation, 'begin'> = {},
): Variant {
  let run = 0
  return {
    name,
    before() {
      if (run > 0) more.clear?.(run)
      run += 1
    },
    async run() {
      const player: Pick<Subject, 'root' | 'sync' | 'promises'> = {
        ...rawSubject(NO_DIRECTORIES),
        root: await begin(run),
      }
      await prepare(player, files, run)
      const calls = callsOf(files, run)
      for (let n = 0; n < calls.length; n += CALLS_EACH) {
        await runCalls(player, calls.slice(n, n + CALLS_EACH))
        more.checkpoint?.(run)
      }
      return more.end?.(run)
    },
  }
}

const NO_DIRECTORIES: Directories = { lower: '', raw: '', spare: '' }

function worktree(name: string, { raw }: Directories, base: string, files: number): Variant {
  const repository = `${base}/repository`
  repositoryOf(repository, raw)
  const place = (run: number) => `${base}/worktree-${run}`
  const git = (dir: string, ...args: string[]) => runTool('git', ['-C', dir, ...args])
  return isolatedBy(
    name,
    files,
    async (run) => {
      git(repository, 'worktree', 'add', '--detach', '-q', place(run))
      return place(run)
    },
    {
      end: (run) => git(place(run), 'status', '--porcelain', '-uall'),
      clear: (run) => git(repository, 'worktree', 'remove', '--force', place(run)),
    },
  )
}

function repositoryOf(repository: string, tree: string): void {
  cpSync(`${tree}/src`, `${repository}/src`, { recursive: true })
  const git = (...args: string[]) => runTool('git', ['-C', repository, ...args])
  git('init', '-q')
  git('config', 'user.email', 'bench@example.org')
  git('config', 'user.name', 'Bench')
  git('add', '-A')
  git('commit', '-q', '-m', 'all')
}

function shadowGit(name: string, { raw }: Directories, base: string, files: number): Variant {
  const work = `${base}/work`
  repositoryOf(work, raw)
  const git = (...args: string[]) => runTool('git', ['-C', work, ...args])
  return isolatedBy(name, files, async () => work, {
    checkpoint() {
      git('add', '-A')
      git('commit', '-q', '--allow-empty', '-m', 'checkpoint')
    },
    end: () => git('diff', '--name-status', `HEAD~${CALLS / CALLS_EACH}`),
  })
}

function rsyncCopy(name: string, { raw }: Directories, base: string, files: number): Variant {
  const place = (run: number) => `${base}/copy-${run}`
  return isolatedBy(
    name,
    files,
    async (run) => {
      runTool('rsync', ['-a', `${raw}/src`, place(run)])
      return place(run)
    },
    {
      end: (run) => runTool('rsync', ['-ain', '--delete', `${place(run)}/`, `${raw}/`]),
      clear: (run) => rmSync(place(run), { recursive: true }),
    },
  )
}
