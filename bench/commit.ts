import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import type { Review } from '../src/index.js'
import type { Bench, Suite } from './bench.js'
import { RECURSIVE } from './facade/cast.js'
import type { Variant } from './harness.js'
import { contentOf, diskPlace, makeFiles, memoryPlace, namesOf, type Place, parentOf } from './places.js'
import { type Aim, OURS } from './report.js'
import { runTool, toolVersion } from './tools.js'
import { declareIntent, type Governed, govern } from './workspace.js'

const FILES = 1_000
const BYTES = 4_096
const PER_DIR = 20

/**
 * Taking 1,000 approved files to the disk, beside merely creating as many. In memory the power-safe barrier is free, so
 * that what is seen there is the protocol alone; on a disk it is paid for.
 */
export const commit: Suite = async (bench) => {
  const memory = memoryPlace()
  if (memory.medium === 'tmpfs') await measureCommit(bench, memory, 'kill-safe: on tmpfs', { of: 'ratio', atMost: 3.0 })
  await measureCommit(bench, diskPlace(), 'power-safe: on a disk', { of: 'ratio', atMost: 3.3 })
}

async function measureCommit(bench: Bench, { path }: Place, title: string, aim: Aim): Promise<void> {
  const peers = [gitVariant(`${path}/git`), rsyncVariant(`${path}/rsync`)]
  const absent = peers.flatMap((peer) => ('reason' in peer ? [peer] : []))
  const present = peers.flatMap((peer) => ('reason' in peer ? [] : [peer]))
  const whole = `commit of ${FILES} files of 4 KB over existing ones, ${title}`
  await bench.compare({
    title: whole,
    mode: 'async',
    aim,
    heavy: true,
    variants: [creating(`${path}/floor`), committing(`${path}/ours`), copying(`${path}/copy`), ...present],
    absent,
  })
}

/** The floor: files made where there were none, safe from nothing. */
function creating(base: string): Variant {
  const paths = namesOf(`${base}/src`, FILES, PER_DIR)
  const data = contentOf(BYTES)
  return {
    name: 'creating the files',
    before() {
      rmSync(base, { recursive: true, force: true })
      for (const dir of new Set(paths.map(parentOf))) mkdirSync(dir, RECURSIVE)
    },
    run() {
      for (const path of paths) writeFileSync(path, data)
    },
  }
}

function committing(base: string): Variant {
  let turn = 0
  let governed: Governed | undefined
  let review: Review | undefined
  makeFiles(`${base}/src`, FILES, BYTES, PER_DIR)
  declareIntent(base)
  return {
    name: OURS,
    async before() {
      await governed?.workspace.close()
      turn += 1
      governed = await govern(base, `turn-${turn}`, { durability: 'process' })
      for (const path of namesOf('src', FILES, PER_DIR))
        governed.session.fs.writeFileSync(path, Buffer.concat([contentOf(BYTES - 8), Buffer.from(`${turn}`.padEnd(8))]))
      await governed.session.flush()
      review = await governed.workspace.review(governed.session.id)
      await review.approve(undefined, { name: 'Bench' })
    },
    async run() {
      const done = await review?.commit()
      if (done?.committed.length !== FILES) throw new Error(`committed ${done?.committed.length} of ${FILES} files`)
    },
  }
}

function copying(base: string): Variant {
  makeFiles(`${base}/from`, FILES, BYTES, PER_DIR)
  cpSync(`${base}/from`, `${base}/to`, { recursive: true })
  return { name: 'cp -r', run: () => runTool('cp', ['-r', `${base}/from/.`, `${base}/to`]) }
}

/** Over existing files of the same size and another time: each is written beside its place and renamed. */
function rsyncVariant(base: string): Variant | { name: string; reason: string } {
  const version = toolVersion('rsync')
  if (version === undefined) return { name: 'rsync -a', reason: 'rsync is not installed' }
  makeFiles(`${base}/to`, FILES, BYTES, PER_DIR)
  return {
    name: `rsync -a (${version})`,
    before: () => {
      makeFiles(`${base}/from`, FILES, BYTES, PER_DIR)
    },
    run: () => runTool('rsync', ['-aI', `${base}/from/`, `${base}/to`]),
  }
}

function gitVariant(base: string): Variant | { name: string; reason: string } {
  const version = toolVersion('git')
  if (version === undefined) return { name: 'git add, git commit', reason: 'git is not installed' }
  mkdirSync(base, RECURSIVE)
  const git = (...args: string[]) => runTool('git', ['-C', base, ...args])
  git('init', '-q')
  git('config', 'user.email', 'bench@example.org')
  git('config', 'user.name', 'Bench')
  let turn = 0
  return {
    name: `git add, git commit (${version})`,
    before() {
      turn += 1
      makeFiles(`${base}/src`, FILES, BYTES + turn, PER_DIR)
    },
    run() {
      git('add', '-A')
      git('commit', '-q', '-m', `turn ${turn}`)
    },
  }
}
