import fs from 'node:fs'
import type { openWorkspace } from '../../src/index.js'
import type { RowSpec } from '../bench.js'
import { at, RECURSIVE } from '../facade/cast.js'
import type { Variant } from '../harness.js'
import { contentOf, makeFiles, namesOf } from '../places.js'
import { declareIntent } from '../workspace.js'

/**
 * The calls that everything rests on, in a few seconds: what the guard watches, and what two commits are compared by. A
 * build of escrowfs is handed in, so that two of them can take turns in one process.
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

interface Player {
  readonly name: string
  readonly root: string
  readonly fs: typeof fs
}

type Run = (player: Player, path: string, turn: number) => unknown

/** @param base a directory of the rows' own. The rows hold its sessions until `close`. */
export async function coreRows(
  base: string,
  builds: readonly Build[],
): Promise<{ rows: CoreRow[]; close(): Promise<void> }> {
  const raw: Player = { name: `node:fs ${process.version}`, root: ground(`${base}/node-fs`), fs }
  const held: { close(): Promise<void> }[] = []
  const players = async (durability: 'memory' | 'process') => {
    const ours: Player[] = []
    for (const [n, { name, openWorkspace }] of builds.entries()) {
      const root = ground(`${base}/${durability}-${n}`)
      const workspace = await openWorkspace(root, { durability })
      held.push(workspace)
      const session = await workspace.session({ id: 'core', agent: { tool: 'bench' } })
      await session.selectIntent('INT-001')
      ours.push({ name, root, fs: session.fs })
    }
    return [raw, ...ours]
  }
  const [memory, durable] = [await players('memory'), await players('process')]
  const rows = [...reads(memory), ...writes(memory, durable), ...whole(base, builds)]
  return { rows, close: async () => void (await Promise.all(held.map((workspace) => workspace.close()))) }
}

function ground(root: string): string {
  makeFiles(`${root}/src/small`, FILES, BYTES)
  makeFiles(`${root}/src/wide`, LISTED, 100)
  declareIntent(root)
  return root
}

function row(
  title: string,
  players: readonly Player[],
  names: readonly string[],
  run: Run,
  more: Partial<CoreRow> = {},
): CoreRow {
  const variants = players.map((player): Variant => {
    const paths = names.map((name) => `${player.root}/${name}`)
    return { name: player.name, run: (turn) => run(player, at(paths, turn), turn) }
  })
  return { title, mode: 'sync', variants, ...more }
}

function reads(players: readonly Player[]): CoreRow[] {
  const lower = namesOf('src/small', FILES)
  const staged = namesOf('made/small', FILES)
  for (const { root, fs: face } of players) {
    face.mkdirSync(`${root}/made/small`, RECURSIVE)
    for (const name of staged) face.writeFileSync(`${root}/${name}`, contentOf(BYTES))
  }
  return [
    row('readFileSync 4 KB, lower', players, lower, ({ fs: face }, path) => face.readFileSync(path)),
    row('statSync, lower', players, lower, ({ fs: face }, path) => face.statSync(path)),
    row('existsSync, lower', players, lower, ({ fs: face }, path) => face.existsSync(path)),
    row('readFileSync 4 KB, staged', players, staged, ({ fs: face }, path) => face.readFileSync(path)),
    row('statSync, staged', players, staged, ({ fs: face }, path) => face.statSync(path)),
    row(`readdirSync of ${LISTED} names`, players, ['src/wide'], ({ fs: face }, path) => face.readdirSync(path)),
    // node:fs by its sync form: the promised one waits for other threads, which says nothing of ours.
    row('promises.readFile 4 KB, lower', players, lower, readingAsync, { mode: 'async' }),
  ]
}

const readingAsync: Run = ({ fs: face }, path) => (face === fs ? fs.readFileSync(path) : face.promises.readFile(path))

function writes(memory: readonly Player[], durable: readonly Player[]): CoreRow[] {
  const data = contentOf(BYTES)
  const few = { maxBatch: 50, maxWarmUp: 3_000 }
  const staged = namesOf('made/small', FILES)
  const over: Run = ({ fs: face }, path) => face.writeFileSync(path, data)
  const anew: Run = ({ fs: face }, path, turn) => face.writeFileSync(`${path}${turn}.ts`, data)
  for (const { root, fs: face } of [...memory, ...durable])
    for (const dir of ['made/memory', 'made/process']) face.mkdirSync(`${root}/${dir}`, RECURSIVE)
  return [
    row('writeFileSync 4 KB over a staged file, durability memory', memory, staged, over),
    row('writeFileSync 4 KB, a new file, durability memory', memory, ['made/memory/f'], anew, few),
    row('writeFileSync 4 KB, a new file, durability process', durable, ['made/process/f'], anew, few),
  ]
}

/** Opening, reviewing and committing, beside creating as many files. */
function whole(base: string, builds: readonly Build[]): CoreRow[] {
  const floor: Variant = {
    name: `creating ${CHANGED} files`,
    run(turn) {
      makeFiles(`${base}/floor/${turn}`, CHANGED, BYTES)
    },
  }
  const stages = builds.map((build, n) => committing(build, ground(`${base}/whole-${n}`)))
  const variants = (of: 'open' | 'review' | 'commit') => [floor, ...stages.map((stage) => stage[of])]
  const title = `${CHANGED} files of 4 KB`
  return [
    { title: 'opening a workspace and a session', mode: 'async', heavy: true, variants: variants('open') },
    { title: `the change set of ${title}`, mode: 'async', heavy: true, variants: variants('review') },
    { title: `commit of ${title}`, mode: 'async', heavy: true, variants: variants('commit') },
  ]
}

function committing({ name, openWorkspace }: Build, root: string): Record<'open' | 'review' | 'commit', Variant> {
  let turn = 0
  const stage = async (files: number) => {
    turn += 1
    const workspace = await openWorkspace(root, { durability: 'process' })
    const id = `turn-${turn}`
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
