import { cpSync, mkdirSync } from 'node:fs'
import type { Bench, Suite } from '../bench.js'
import { fill } from '../facade/cast.js'
import { type Ground, ourSubject, peerSubjects, rawSubject, type Subject } from '../facade/subjects.js'
import type { Skipped, Variant } from '../harness.js'
import { makeFiles, memoryPlace } from '../places.js'
import { OURS } from '../report.js'
import { declareIntent } from '../workspace.js'
import { CALLS, callsOf, PER_DIR } from './mix.js'
import { play, prepare } from './play.js'
import { measureWhole } from './whole.js'

const TREE_BYTES = 100
/** A peer without a lower layer is given the tree as files of its own; one that keeps them in a database, up to this many. */
const MOST_TO_FILL = 1_000

/** A whole run of an agent, call after call, in trees of several sizes: alone, and with all that isolates it around it. */
export const agent: Suite = async (bench) => {
  for (const files of bench.quick ? [1_000] : [1_000, 10_000, 50_000]) {
    const ground = groundOf(files)
    await measureCalls(bench, ground, files)
    await measureWhole(bench, ground, files)
  }
}

function groundOf(files: number): Ground {
  const base = memoryPlace().path
  const ground: Ground = { lower: `${base}/workspace`, raw: `${base}/node-fs`, spare: `${base}/spare` }
  mkdirSync(ground.spare)
  makeFiles(`${ground.lower}/src`, files, TREE_BYTES, PER_DIR)
  cpSync(ground.lower, ground.raw, { recursive: true })
  declareIntent(ground.lower)
  return ground
}

async function measureCalls(bench: Bench, ground: Ground, files: number): Promise<void> {
  const { peers, absent } = await peerSubjects(ground)
  const ours = await ourSubject(ground, 'calls', 'memory')
  const durable = await ourSubject(ground, 'calls-durable', 'process', `${OURS}, durability process`)
  const { filled, left } = await withTree(peers, files)
  const subjects = [rawSubject(ground), ours, durable, ...filled]
  await bench.compare({
    title: `${CALLS} calls of an agent in a tree of ${files.toLocaleString('en')} files, per call`,
    ...{ mode: 'async', opsPerRun: CALLS },
    variants: subjects.map((subject) => playing(subject, files)),
    absent: [...absent, ...left],
  })
  for (const subject of [ours, durable, ...peers]) await subject.close()
}

function playing(subject: Subject, files: number): Variant {
  let run = 0
  let calls = callsOf(files, run)
  return {
    name: subject.name,
    async before() {
      run += 1
      calls = callsOf(files, run)
      await prepare(subject, files, run)
    },
    run: () => play(subject, calls),
  }
}

async function withTree(peers: readonly Subject[], files: number): Promise<{ filled: Subject[]; left: Skipped[] }> {
  const filled: Subject[] = []
  const left: Skipped[] = []
  for (const subject of peers) {
    const isOwn = !subject.overLower
    if (isOwn && !subject.sync && files > MOST_TO_FILL)
      left.push({ name: subject.name, reason: 'it has no lower layer, and takes minutes to be given such a tree' })
    else {
      if (isOwn) await fill(subject, 'src', files, TREE_BYTES, PER_DIR)
      filled.push(subject)
    }
  }
  return { filled, left }
}
