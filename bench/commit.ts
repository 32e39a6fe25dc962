import {
  closeSync,
  cpSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import type { Review } from '../src/index.js'
import type { Bench, Suite } from './bench.js'
import { RECURSIVE } from './facade/participants.js'
import type { Variant } from './harness.js'
import { contentOf, diskPlace, makeFiles, memoryPlace, namesOf, type Place, parentOf } from './places.js'
import { type Aim, OURS } from './report.js'
import { runTool, toolVersion } from './tools.js'
import { declareIntent, type Governed, govern } from './workspace.js'

const FILES = 1_000
const BYTES = 4_096
/** A multiple of the line length, because content that does not parse gets no class. */
const SOURCE = 59 * 68
const PER_DIR = 20
const TREE = 20_000

/**
 * Measures committing 1,000 approved files, compared with creating as many files and syncing each, as a program does
 * that must not lose one. On tmpfs a sync is free, so the result is the cost of the protocol alone.
 */
export const commit: Suite = async (bench) => {
  const memory = memoryPlace()
  if (memory.medium === 'tmpfs') await measureCommit(bench, memory, 'kill-safe: on tmpfs', { of: 'ratio', atMost: 6.0 })
  await measureCommit(bench, diskPlace(), 'power-safe: on a disk', { of: 'ratio', atMost: 3.3 })
  await measureCheckpoint(bench, memory)
  await measureGrowth(bench, memory)
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
    variants: [
      syncedVariant(`${path}/synced`, FILES),
      creating(`${path}/floor`, FILES),
      committing(`${path}/ours`, FILES),
      committing(`${path}/text`, FILES, `${OURS}, of files without a grammar`, 'txt'),
      replacing(`${path}/calls`),
      copying(`${path}/copy`),
      ...present,
    ],
    absent,
  })
}

/** Measures saving the state of a tree after a tool call. A shadow repository reads the whole tree, a snapshot nothing. */
async function measureCheckpoint(bench: Bench, { path }: Place): Promise<void> {
  const title = `a checkpoint after one changed file in a tree of ${TREE} files`
  const version = toolVersion('git')
  if (version === undefined) return bench.skip(title, 'git is not installed')
  const variants = [shadowGit(`${path}/shadow`, version), snapshotting(`${path}/snapshots`)]
  await bench.compare({ title, mode: 'async', heavy: true, variants })
}

/** A checkpoint as coding agents make it: a repository elsewhere with the workspace as work tree, `git add` and a commit. */
function shadowGit(base: string, version: string): Variant {
  const work = `${base}/work`
  makeFiles(`${work}/src`, TREE, BYTES, PER_DIR)
  const git = (...args: string[]) => runTool('git', ['--git-dir', `${base}/shadow.git`, '--work-tree', work, ...args])
  git('init', '-q')
  git('config', 'user.email', 'bench@example.org')
  git('config', 'user.name', 'Bench')
  git('add', '.', '--ignore-errors')
  git('commit', '-q', '-m', 'first')
  let iteration = 0
  return {
    name: `shadow git: add, commit (${version})`,
    before() {
      iteration += 1
      writeFileSync(`${work}/src/d0/f0.ts`, `turn ${iteration}\n`)
    },
    run() {
      git('add', '.', '--ignore-errors')
      git('commit', '-q', '-m', `turn ${iteration}`, '--allow-empty')
    },
  }
}

function snapshotting(base: string): Variant {
  makeFiles(`${base}/src`, TREE, BYTES, PER_DIR)
  declareIntent(base)
  let iteration = 0
  let governed: Governed | undefined
  return {
    name: OURS,
    async before() {
      iteration += 1
      governed ??= await govern(base, 'snapshots', { durability: 'process' })
      governed.session.fs.writeFileSync('src/d0/f0.ts', `turn ${iteration}\n`)
    },
    run: () => governed?.session.snapshot(),
  }
}

/** Measures growth. Twice as many files should take twice as long, which is exponent 1. */
async function measureGrowth(bench: Bench, { path }: Place): Promise<void> {
  // Staging 100,000 files once per round takes minutes.
  const most = bench.isThorough ? 100_000 : 10_000
  const sizes = bench.quick ? [300, 1_000, 3_000] : [1_000, Math.sqrt(1_000 * most), most].map(Math.round)
  const sizesWithNames = sizes.map((size) => ({ name: `${OURS}, ${size} files`, size }))
  await bench.growth({
    title: `commit of up to ${sizes.at(-1)} files of 4 KB over existing ones`,
    mode: 'async',
    heavy: true,
    sizes: sizesWithNames,
    aim: { of: 'exponent', atMost: 1.1 },
    variants: [
      creating(`${path}/growth/floor`, 1_000),
      ...sizesWithNames.map(({ name, size }) => committing(`${path}/growth/${size}`, size, name)),
    ],
  })
}

/** Creates files without any safety. */
function creating(base: string, files: number): Variant {
  const paths = namesOf(`${base}/src`, files, PER_DIR)
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

/** The baseline: creates files and syncs each, so that a power cut loses none that was reported as written. */
function syncedVariant(base: string, files: number): Variant {
  const data = contentOf(BYTES)
  return {
    ...creating(base, files),
    name: 'creating the files, each synced',
    run() {
      for (const path of namesOf(`${base}/src`, files, PER_DIR)) {
        const fd = openSync(path, 'w')
        writeSync(fd, data)
        fsyncSync(fd)
        closeSync(fd)
      }
    },
  }
}

/** Only the file calls of the journal: writes each new file aside, links the old one, and renames the new one over it. */
function replacing(base: string): Variant {
  const data = contentOf(BYTES)
  const paths = makeFiles(`${base}/src`, FILES, BYTES, PER_DIR)
  const aside = `${base}/aside`
  return {
    name: 'the calls of the journal alone',
    before() {
      rmSync(aside, { recursive: true, force: true })
      mkdirSync(aside)
    },
    run() {
      for (const [n] of paths.entries()) writeFileSync(`${aside}/${n}.new`, data)
      runTool('sync', ['-f', base])
      for (const [n, path] of paths.entries()) {
        linkSync(path, `${aside}/${n}.old`)
        renameSync(`${aside}/${n}.new`, path)
      }
      runTool('sync', ['-f', base])
    },
  }
}

function committing(base: string, files: number, name = OURS, ending = 'ts'): Variant {
  let iteration = 0
  let governed: Governed | undefined
  let review: Review | undefined
  makeFiles(`${base}/src`, files, SOURCE, PER_DIR, ending)
  declareIntent(base)
  return {
    name,
    async before() {
      await governed?.workspace.close()
      iteration += 1
      governed = await govern(base, `turn-${iteration}`, { durability: 'process' })
      const more = Buffer.from(`export const turn = ${iteration}\n`)
      for (const path of namesOf('src', files, PER_DIR, ending))
        governed.session.fs.writeFileSync(path, Buffer.concat([contentOf(SOURCE), more]))
      await governed.session.flush()
      review = await governed.workspace.review(governed.session.id)
      await review.approve(undefined, { name: 'Bench' })
    },
    async run() {
      const done = await review?.commit()
      if (done?.committed.length !== files) throw new Error(`committed ${done?.committed.length} of ${files} files`)
    },
  }
}

function copying(base: string): Variant {
  makeFiles(`${base}/from`, FILES, BYTES, PER_DIR)
  cpSync(`${base}/from`, `${base}/to`, { recursive: true })
  return { name: 'cp -r', run: () => runTool('cp', ['-r', `${base}/from/.`, `${base}/to`]) }
}

/** rsync over existing files of the same size and another time. It writes each to a temporary file and renames it. */
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
  let iteration = 0
  return {
    name: `git add, git commit (${version})`,
    before() {
      iteration += 1
      makeFiles(`${base}/src`, FILES, BYTES + iteration, PER_DIR)
    },
    run() {
      git('add', '-A')
      git('commit', '-q', '-m', `turn ${iteration}`)
    },
  }
}
