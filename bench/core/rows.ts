import fs from 'node:fs'
import { memfs } from 'memfs'
import type { openWorkspace } from '../../src/index.js'
import type { RowSpec } from '../bench.js'
import { at, RECURSIVE } from '../facade/participants.js'
import type { PromiseCalls, SyncCalls } from '../facade/subjects.js'
import type { Variant } from '../harness.js'
import { contentOf, makeFiles, namesOf } from '../places.js'
import { declareIntent } from '../workspace.js'

/**
 * The basic calls, measured in a few seconds. The guard watches them, and the comparison of two commits uses them. The
 * build of escrowfs is a parameter.
 *
 * Calls that reach the disk are compared with `node:fs`. Calls that stay in memory are compared with memfs, because the ratio
 * between JavaScript and a system call varies several times between machines.
 */

export interface Build {
  readonly name: string
  readonly openWorkspace: typeof openWorkspace
}

export type CoreRow = Omit<RowSpec, 'aim' | 'absent'>

const BYTES = 4_096
const FILES = 256
const LISTED = 200
/** Changed files of one review and commit. */
const CHANGED = 50
const REVIEWER = { name: 'Bench' }

interface FsTarget {
  readonly name: string
  readonly root: string
  readonly fs: SyncCalls & { readonly promises: Pick<PromiseCalls, 'readFile'> }
}

type Run = (player: FsTarget, path: string, iteration: number) => unknown

/** Creates the rows. @param base an empty directory, whose sessions stay open until `close` */
export async function coreRows(base: string, build: Build): Promise<{ rows: CoreRow[]; close(): Promise<void> }> {
  const raw: FsTarget = { name: `node:fs ${process.version}`, root: createTree(`${base}/node-fs`), fs }
  const workspaces: { close(): Promise<void> }[] = []
  const players = async (durability: 'memory' | 'process') => {
    const root = createTree(`${base}/${durability}`)
    const workspace = await build.openWorkspace(root, { durability })
    workspaces.push(workspace)
    const session = await workspace.session({ id: 'core', agent: { tool: 'bench' } })
    await session.selectIntent('INT-001')
    return { raw, ours: { name: build.name, root, fs: session.fs } }
  }
  const [memory, durable] = [await players('memory'), await players('process')]
  const rows = [...lowerReads(memory), ...stagedReads(memory), ...writes(memory, durable), ...wholeRuns(base, build)]
  return { rows, close: async () => void (await Promise.all(workspaces.map((workspace) => workspace.close()))) }
}

function createTree(root: string): string {
  makeFiles(`${root}/src/small`, FILES, BYTES)
  makeFiles(`${root}/src/wide`, LISTED, 100)
  declareIntent(root)
  return root
}

function row(
  title: string,
  players: readonly FsTarget[],
  names: readonly string[],
  run: Run,
  more: Partial<CoreRow> = {},
): CoreRow {
  const variants = players.map((player): Variant => {
    const paths = names.map((name) => `${player.root}/${name}`)
    return { name: player.name, run: (iteration) => run(player, at(paths, iteration), iteration) }
  })
  return { title, mode: 'sync', variants, ...more }
}

interface Targets {
  readonly raw: FsTarget
  readonly ours: FsTarget
}

function lowerReads({ raw, ours }: Targets): CoreRow[] {
  const players = [raw, ours]
  const lower = namesOf('src/small', FILES)
  return [
    row('readFileSync 4 KB, lower', players, lower, ({ fs: facade }, path) => facade.readFileSync(path)),
    row('statSync, lower', players, lower, ({ fs: facade }, path) => facade.statSync(path)),
    row('existsSync, lower', players, lower, ({ fs: facade }, path) => facade.existsSync(path)),
    row(`readdirSync of ${LISTED} names`, players, ['src/wide'], ({ fs: facade }, path) => facade.readdirSync(path)),
    // node:fs in its sync form: the promise form waits for other threads, whose work is not ours.
    row('promises.readFile 4 KB, lower', players, lower, readingAsync, { mode: 'async' }),
  ]
}

const readingAsync: Run = ({ fs: facade }, path) =>
  facade === fs ? fs.readFileSync(path) : facade.promises.readFile(path)

function stagedReads({ ours }: Targets): CoreRow[] {
  const players = [inMemory(), ours]
  const staged = namesOf('made/small', FILES)
  makeStaged(players, staged)
  return [
    row('readFileSync 4 KB, staged', players, staged, ({ fs: facade }, path) => facade.readFileSync(path)),
    row('statSync, staged', players, staged, ({ fs: facade }, path) => facade.statSync(path)),
  ]
}

function inMemory(): FsTarget {
  return { name: 'memfs', root: '/w', fs: memfs().fs }
}

function makeStaged(players: readonly FsTarget[], names: readonly string[]): void {
  for (const { root, fs: facade } of players) {
    facade.mkdirSync(`${root}/made/small`, RECURSIVE)
    for (const name of names) facade.writeFileSync(`${root}/${name}`, contentOf(BYTES))
  }
}

function writes({ ours }: Targets, { ours: durable }: Targets): CoreRow[] {
  const data = contentOf(BYTES)
  const few = { maxBatch: 50, maxWarmUp: 3_000 }
  const staged = namesOf('made/small', FILES)
  const over: Run = ({ fs: facade }, path) => facade.writeFileSync(path, data)
  const create: Run = ({ fs: facade }, path, iteration) => facade.writeFileSync(`${path}${iteration}.ts`, data)
  const again = [inMemory(), ours]
  makeStaged(again, staged)
  /** Each row has a separate volume, so that the files of one do not slow the next. */
  const createDirs = (dir: string, of: FsTarget) => {
    const players = [inMemory(), of]
    for (const { root, fs: facade } of players) facade.mkdirSync(`${root}/${dir}`, RECURSIVE)
    return players
  }
  const title = 'writeFileSync 4 KB'
  return [
    row(`${title} over a staged file, durability memory`, again, staged, over),
    row(`${title}, a new file, durability memory`, createDirs('made/memory', ours), ['made/memory/f'], create, few),
    row(
      `${title}, a new file, durability process`,
      createDirs('made/process', durable),
      ['made/process/f'],
      create,
      few,
    ),
  ]
}

/** Opening, reviewing and committing, compared with creating as many files. */
function wholeRuns(base: string, build: Build): CoreRow[] {
  const floor: Variant = {
    name: `creating ${CHANGED} files`,
    run(iteration) {
      makeFiles(`${base}/floor/${iteration}`, CHANGED, BYTES)
    },
  }
  const { open, review, commit } = committing(build, createTree(`${base}/whole`))
  const title = `${CHANGED} files of 4 KB`
  return [
    { title: 'opening a workspace and a session', mode: 'async', heavy: true, variants: [floor, open] },
    { title: `the change set of ${title}`, mode: 'async', heavy: true, variants: [floor, review] },
    { title: `commit of ${title}`, mode: 'async', heavy: true, variants: [floor, commit] },
  ]
}

function committing({ name, openWorkspace }: Build, root: string): Record<'open' | 'review' | 'commit', Variant> {
  let iteration = 0
  const stage = async (files: number) => {
    iteration += 1
    const workspace = await openWorkspace(root, { durability: 'process' })
    const id = `turn-${iteration}`
    const session = await workspace.session({ id, agent: { tool: 'bench' } })
    await session.selectIntent('INT-001')
    for (const path of namesOf('src/small', files))
      session.fs.writeFileSync(path, Buffer.concat([contentOf(BYTES), Buffer.from(id)]))
    await session.close()
    return { workspace, review: await workspace.review(id) }
  }
  let staged: Awaited<ReturnType<typeof stage>> | undefined
  const before = async () => {
    await staged?.workspace.close()
    staged = await stage(CHANGED)
  }
  return {
    open: { name, run: async () => (await stage(0)).workspace.close() },
    review: { name, before, run: () => staged?.review.changes() },
    commit: {
      name,
      async before() {
        await before()
        await staged?.review.approve(undefined, REVIEWER)
      },
      async run() {
        const done = await staged?.review.commit()
        if (done?.committed.length !== CHANGED)
          throw new Error(`committed ${done?.committed.length} of ${CHANGED} files`)
      },
    },
  }
}
