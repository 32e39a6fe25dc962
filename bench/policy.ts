import picomatch from 'picomatch'
import manifest from 'picomatch/package.json' with { type: 'json' }
import type { Intent } from '../src/core/api.js'
import { layoutOf } from '../src/core/layout.js'
import { createPolicy, openPolicyFile, type Policy } from '../src/policy/index.js'
import { compileScope } from '../src/policy/scope.js'
import type { Bench, Suite } from './bench.js'
import { at } from './facade/cast.js'
import { memoryPlace } from './places.js'
import { type Aim, OURS } from './report.js'

const INTENTS = 5
const GLOBS_EACH = 200
/** More than any cache of the policy holds, so that each comes back as a stranger. */
const STRANGERS = 60_000
const KNOWN = 500

const GLOBS = Array.from({ length: INTENTS * GLOBS_EACH }, (_, n) => globOf(n))
const PATHS = Array.from({ length: STRANGERS }, (_, n) => pathOf(n))
const POOLS: readonly { title: string; pool: readonly string[]; aim: Aim }[] = [
  { title: 'a path never seen', pool: PATHS, aim: { of: 'value', atMost: 300 } },
  { title: 'a path seen before', pool: PATHS.slice(0, KNOWN), aim: { of: 'value', atMost: 50 } },
]

/** What judging a path costs at 1,000 globs: five intents of 200. No file is touched meanwhile. */
export const policy: Suite = async (bench) => {
  await measureScope(bench)
  await measureDecision(bench)
}

async function measureScope(bench: Bench): Promise<void> {
  const scope = compileScope(GLOBS)
  const peer = picomatch(GLOBS)
  const name = `picomatch ${manifest.version}, an array`
  for (const { title, pool, aim } of POOLS) {
    const variants = [
      { name, run: (turn: number) => peer(at(pool, turn)) },
      { name: OURS, run: (turn: number) => scope.matches(at(pool, turn)) },
    ]
    await bench.compare({ title: `one scope of 1,000 globs, ${title}`, mode: 'sync', aim, variants })
  }
}

/** The scope is one rule of many: access, protected paths and the intent's state are judged as well. */
async function measureDecision(bench: Bench): Promise<void> {
  const { decide } = policyOfFiveIntents()
  for (const { title, pool, aim } of POOLS) {
    const run = (turn: number) => {
      const path = at(pool, turn)
      return decide({ effect: 'put', path, asked: path })
    }
    const whole = `the whole decision of a write, 5 intents of 200 globs, ${title}`
    await bench.compare({ title: whole, mode: 'sync', aim, variants: [{ name: OURS, run }] })
  }
}

function policyOfFiveIntents(): Policy {
  const each = Array.from({ length: INTENTS }, (_, n) => intentOf(n))
  const intents = { ok: true, version: 1, intents: new Map(each.map((intent) => [intent.id, intent])) } as const
  const rules = openPolicyFile(layoutOf(memoryPlace().path))()
  return createPolicy({
    intents: () => intents,
    activeIntentId: () => 'INT-0',
    policy: () => rules,
    base: () => 'fresh',
  })
}

function intentOf(n: number): Intent {
  const ownedScope = GLOBS.slice(n * GLOBS_EACH, (n + 1) * GLOBS_EACH)
  const lists = { ownedScope, constraints: [], acceptanceCriteria: [], dependsOn: [] }
  return { id: `INT-${n}`, name: `Part ${n}`, status: 'IN_PROGRESS', ...lists }
}

/** As people write them: directories, kinds of files, single files, a few taken away. */
function globOf(n: number): string {
  const dir = `packages/p${n % 50}/src/part${n}`
  const shapes = [`${dir}/**`, `${dir}/*.ts`, `${dir}/**/*.{ts,tsx}`, `${dir}/index.ts`, `!${dir}/legacy/**`]
  return shapes[n % shapes.length] ?? dir
}

/** Half of them near a glob, half nowhere near. */
function pathOf(n: number): string {
  const part = (n * 7) % (INTENTS * GLOBS_EACH)
  if (n % 2 === 0) return `packages/p${part % 50}/src/part${part}/deep/file${n}.ts`
  return `services/s${n % 40}/lib/module/file${n}.ts`
}
