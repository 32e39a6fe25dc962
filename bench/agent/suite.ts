import { cpSync, mkdirSync } from 'node:fs'
import type { Bench, Suite } from '../bench.js'
import { writeFiles } from '../facade/participants.js'
import { type Directories, ourSubject, peerSubjects, rawSubject, type Subject } from '../facade/subjects.js'
import type { Skipped, Variant } from '../harness.js'
import { makeFiles, memoryPlace } from '../places.js'
import { OURS } from '../report.js'
import { declareIntent } from '../workspace.js'
import { CALLS, callsOf, PER_DIR } from './mix.js'
import { prepare, runCalls } from './run-calls.js'
import { measureWhole } from './whole.js'

const TREE_BYTES = 100
/** A peer without a lower layer gets a copy of the tree. For a peer with a database this is the largest tree. */
const MAX_DATABASE_FILES = 1_000

/** Measures whole runs of an agent in trees of several sizes: the calls alone, and with each kind of isolation. */
export const agent: Suite = async (bench) => {
  for (const files of bench.quick ? [1_000] : [1_000, 10_000, 50_000]) {
    const directories = createDirectories(files)
    await measureCalls(bench, directories, files)
    await measureWhole(bench, directories, files)
  }
}

function createDirectories(files: number): Directories {
  const base = memoryPlace().path
  const directories: Directories = { lower: `${base}/workspace`, raw: `${base}/node-fs`, spare: `${base}/spare` }
  mkdirSync(directories.spare)
  makeFiles(`${directories.lower}/src`, files, TREE_BYTES, PER_DIR)
  cpSync(directories.lower, directories.raw, { recursive: true })
  declareIntent(directories.lower)
  return directories
}

async function measureCalls(bench: Bench, directories: Directories, files: number): Promise<void> {
  const { peers, absent } = await peerSubjects(directories)
  const ours = await ourSubject(directories, 'calls', 'memory')
  const durable = await ourSubject(directories, 'calls-durable', 'process', `${OURS}, durability process`)
  const { filled, left } = await fillPeers(peers, files)
  const subjects = [rawSubject(directories), ours, durable, ...filled]
  await bench.compare({
    title: `${CALLS} calls of an agent in a tree of ${files.toLocaleString('en')} files, per call`,
    ...{ mode: 'async', opsPerRun: CALLS },
    variants: subjects.map((subject) => runningCalls(subject, files)),
    absent: [...absent, ...left],
  })
  for (const subject of [ours, durable, ...peers]) await subject.close()
}

function runningCalls(subject: Subject, files: number): Variant {
  let run = 0
  let calls = callsOf(files, run)
  return {
    name: subject.name,
    async before() {
      run += 1
      calls = callsOf(files, run)
      await prepare(subject, files, run)
    },
    run: () => runCalls(subject, calls),
  }
}

async function fillPeers(peers: readonly Subject[], files: number): Promise<{ filled: Subject[]; left: Skipped[] }> {
  const filled: Subject[] = []
  const skipped: Skipped[] = []
  for (const subject of peers) {
    const isOwn = !subject.overLower
    if (isOwn && !subject.sync && files > MAX_DATABASE_FILES)
      skipped.push({ name: subject.name, reason: 'it has no lower layer, and filling it takes minutes' })
    else {
      if (isOwn) await writeFiles(subject, 'src', files, TREE_BYTES, PER_DIR)
      filled.push(subject)
    }
  }
  return { filled, left: skipped }
}
