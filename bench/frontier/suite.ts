import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import type { Bench, Suite } from '../bench.js'
import { memoryPlace } from '../places.js'
import { saveResult } from '../report.js'
import { promptsPerSession } from './asked.js'
import { redCode, type Script, transcripts } from './data.js'
import { POLICIES } from './governed.js'
import { type Point, picture } from './picture.js'
import { editSessions, editsPreserved, type Preserved, tasksPreserved } from './preserved.js'
import { runGoverned } from './prevented.js'
import { HARMS } from './tasks.js'
import { runInWorld } from './world.js'

/**
 * Measures how much benign work still succeeds and which harm is prevented. It compares effects, not messages: the files after benign
 * work, and the machine outside the workspace after harmful scripts. A replay cannot show how a live model reacts to a refusal.
 *
 * `ESCROWFS_FRONTIER_DATA` names a directory with transcripts and RedCode's scripts, which the project does not contain. Without escrow,
 * harmful scripts run in a throw-away machine under bubblewrap; with escrow, in throw-away workspaces.
 */
export const frontier: Suite = async (bench) => {
  const base = memoryPlace().path
  const home = homedir()
  const points: Point[] = []
  const text = transcripts()
  const policies = bench.isThorough
    ? Object.entries(POLICIES)
    : Object.entries(POLICIES).filter(([name]) => name === 'default')
  const harm = await measureHarm(bench, base, policies)
  process.env.HOME = home
  for (const [name, policy] of policies) {
    const done = await measureWork(bench, base, policy, text)
    const kept = done.filter(({ lost }) => lost.length === 0).length
    bench.values(
      `${name} policy: benign work that was not preserved, of ${done.length}`,
      'percent',
      ours(100 - (100 * kept) / done.length),
      AIM,
    )
    for (const { name: work, lost, why } of done.filter(({ lost: paths }) => paths.length > 0))
      bench.skip(`not preserved: ${work.slice(0, 80)}`, `${lost.slice(0, 3).join(', ')}: ${why.slice(0, 2).join('; ')}`)
    if (text !== undefined)
      bench.values(
        `${name} policy: questions in a session of the transcripts`,
        'count',
        ours(await promptsPerSession(base, text, policy)),
        name === 'default' ? PROMPTS : undefined,
      )
    points.push({ name: `escrowfs, ${name}`, preserved: (100 * kept) / done.length, prevented: harm.get(name) ?? 0 })
  }
  points.push(
    { name: 'plain', preserved: 100, prevented: 0 },
    { name: 'bubblewrap alone', preserved: 100, prevented: harm.get('bubblewrap') ?? 0 },
  )
  if (!bench.quick) saveResult('frontier-plane.svg', picture(points))
}

/** Percent. */
const AIM = { of: 'value', atMost: 1 } as const
const PROMPTS = { of: 'value', atMost: 0.4 } as const

const ours = (value: number) => [{ name: 'escrowfs', value }]

async function measureWork(bench: Bench, base: string, policy: string, text: string | undefined): Promise<Preserved[]> {
  const done: Preserved[] = []
  for await (const each of tasksPreserved(base, policy)) done.push(each)
  if (text === undefined) bench.skip('edits of the transcripts', 'ESCROWFS_FRONTIER_DATA names no directory with them')
  else for await (const each of editsPreserved(base, policy, everyFew(bench, editSessions(text)))) done.push(each)
  return done
}

/** Shares of harm that were prevented, by policy; and by bubblewrap alone. */
async function measureHarm(bench: Bench, base: string, policies: readonly (readonly [string, string])[]) {
  const own = HARMS.map((code, at) => ({ name: `own ${at + 1}`, argv: ['/bin/bash', '-c', code], code }))
  const red = redCode()
  if (red === undefined) bench.skip('scripts of RedCode', 'ESCROWFS_FRONTIER_DATA names no directory with them')
  const scripts = [...own, ...everyFew(bench, red ?? [])]
  const harmful = scripts.filter(({ argv }) => runInWorld(`${base}/world`, argv, 'plain').effects.length > 0)
  bench.values('harmful scripts', 'count', [
    { name: 'without an effect in a plain run', value: scripts.length - harmful.length },
    { name: 'with one', value: harmful.length },
  ])
  const shares = new Map<string, number>()
  const add = (name: string, leaks: number) => shares.set(name, 100 - (100 * leaks) / harmful.length)
  const boxed = harmful.filter(({ argv }) => runInWorld(`${base}/world`, argv, 'bubblewrap').effects.length > 0)
  add('bubblewrap', boxed.length)
  bench.values(`bubblewrap alone: harm that was not prevented, of ${harmful.length}`, 'percent', [
    { name: 'bubblewrap', value: (100 * boxed.length) / harmful.length },
  ])
  mkdirSync(`${base}/home`, { recursive: true })
  process.env.HOME = `${base}/home`
  for (const [name, policy] of policies) add(name, await leaksUnder(bench, base, name, policy, harmful))
  return shares
}

async function leaksUnder(
  bench: Bench,
  base: string,
  name: string,
  policy: string,
  harmful: readonly Script[],
): Promise<number> {
  let leaks = 0
  for (const script of harmful) {
    const effects = await runGoverned(`${base}/ws`, `${base}/home`, policy, script)
    if (effects.length === 0) continue
    leaks += 1
    bench.skip(`${name} policy: not prevented: ${script.name}`, effects.join(', '))
  }
  bench.values(
    `${name} policy: harm that was not prevented, of ${harmful.length}`,
    'percent',
    ours((100 * leaks) / harmful.length),
    AIM,
  )
  return leaks
}

/** A quick run takes every tenth. */
function everyFew<T>({ quick }: Bench, all: readonly T[]): readonly T[] {
  return quick ? all.filter((_, at) => at % 10 === 0) : all
}
