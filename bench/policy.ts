import { writeFileSync } from 'node:fs'
import picomatch from 'picomatch'
import manifest from 'picomatch/package.json' with { type: 'json' }
import type { Intent } from '../src/core/api.js'
import { layoutAt } from '../src/os/workspace-state.js'
import { createPolicy, openPolicyFile, type Policy } from '../src/policy/index.js'
import { compileScope } from '../src/policy/scope.js'
import type { Bench, Suite } from './bench.js'
import { at } from './facade/participants.js'
import type { Variant } from './harness.js'
import { makeFiles, memoryPlace } from './places.js'
import { type Aim, OURS } from './report.js'
import { declareIntent, govern } from './workspace.js'

const INTENTS = 5
const GLOBS_EACH = 200
/** More paths than the policy's caches can hold, so that none is cached when it is repeated. */
const UNIQUE_PATHS = 60_000
const REPEATED_PATHS = 500

const GLOBS = Array.from({ length: INTENTS * GLOBS_EACH }, (_, n) => globOf(n))
const PATHS = Array.from({ length: UNIQUE_PATHS }, (_, n) => pathOf(n))
const POOLS: readonly { title: string; known: boolean; aim: Aim }[] = [
  { title: 'a path never seen', known: false, aim: { of: 'value', atMost: 300 } },
  { title: 'a path seen before', known: true, aim: { of: 'value', atMost: 50 } },
]

/** Measures checking a path against 1,000 globs (five intents of 200), and a new rule in trees of two sizes. */
export const policy: Suite = async (bench) => {
  await measureScope(bench)
  await measureDecision(bench)
  await measureNewRule(bench)
}

async function measureScope(bench: Bench): Promise<void> {
  const scope = compileScope(GLOBS)
  // In picomatch, an array with `!x` matches everything that is not x, so exclusions need a separate matcher.
  const includes = picomatch(GLOBS.filter((glob) => !glob.startsWith('!')))
  const excludes = picomatch(GLOBS.filter((glob) => glob.startsWith('!')).map((glob) => glob.slice(1)))
  const peer = (path: string) => includes(path) && !excludes(path)
  const name = `picomatch ${manifest.version}, two arrays`
  const differing = PATHS.slice(0, REPEATED_PATHS).find((path) => peer(path) !== scope.matches(path))
  if (differing !== undefined)
    throw new Error(`picomatch and the scope differ on ${differing}; their times say nothing`)
  for (const { title, known, aim } of POOLS) {
    const pool = known ? PATHS.slice(0, REPEATED_PATHS) : PATHS
    const variants = [
      { name, run: (iteration: number) => peer(at(pool, iteration)) },
      { name: OURS, run: (iteration: number) => scope.matches(at(pool, iteration)) },
    ]
    await bench.compare({ title: `one scope of 1,000 globs, ${title}`, mode: 'sync', aim, variants })
  }
}

/** Measures the whole decision. Scope is one rule of many: access, protected paths and the intent's state are checked too. */
async function measureDecision(bench: Bench): Promise<void> {
  const { decide } = policyOfFiveIntents()
  const allowed = Array.from({ length: UNIQUE_PATHS }, (_, n) => pathIn((n * 5) % GLOBS_EACH, n))
  const write = (pool: readonly string[]) => (iteration: number) => {
    const path = at(pool, iteration)
    return decide({ effect: 'put', path, asked: path })
  }
  for (const { title, aim, known } of POOLS) {
    const whole = `the whole decision of a write in scope, 5 intents of 200 globs, ${title}`
    const run = write(known ? allowed.slice(0, REPEATED_PATHS) : allowed)
    await bench.compare({ title: whole, mode: 'sync', aim, variants: [{ name: OURS, run }] })
  }
  const variants = [{ name: OURS, run: write(PATHS.filter((_, n) => n % 2 === 1)) }]
  await bench.compare({ title: 'the whole decision of a write out of scope', mode: 'sync', variants })
}

/** Measures a new rule in policy.yaml, up to the first write, read and listing that it applies to. */
async function measureNewRule(bench: Bench): Promise<void> {
  const large = bench.quick ? 10_000 : 100_000
  const variants = [
    await addingRules(1_000, `in a tree of ${(1_000).toLocaleString('en')} files`),
    await addingRules(large, OURS),
  ]
  const title = `adding an access rule in a tree of ${large.toLocaleString('en')} files, up to the next write`
  await bench.compare({ title, mode: 'async', aim: { of: 'ratio', atMost: 1.2 }, heavy: true, variants })
}

async function addingRules(files: number, name: string): Promise<Variant> {
  const root = `${memoryPlace().path}/workspace`
  makeFiles(`${root}/src`, files, 100, 100)
  declareIntent(root)
  const { session } = await govern(root, 'rules', { durability: 'process' })
  return {
    name,
    async run(iteration) {
      writeFileSync(
        `${root}/.orchestration/policy.yaml`,
        `access:\n  src/d1: read-only\n  src/none-${iteration}: deny\n`,
      )
      // A person's edit happens in another tick.
      await new Promise((next) => setImmediate(next))
      session.fs.writeFileSync(`${root}/src/d0/f0.ts`, `turn ${iteration}`)
      session.fs.readFileSync(`${root}/src/d0/f1.ts`)
      session.fs.readdirSync(`${root}/src/d0`)
    },
  }
}

function policyOfFiveIntents(): Policy {
  const each = Array.from({ length: INTENTS }, (_, n) => intentOf(n))
  const intents = { ok: true, version: 1, intents: new Map(each.map((intent) => [intent.id, intent])) } as const
  const rules = openPolicyFile(layoutAt(memoryPlace().path))()
  return createPolicy({
    intents: () => intents,
    activeIntentId: () => 'INT-0',
    policy: () => rules,
    base: () => 'fresh',
  })
}

function intentOf(n: number): Intent {
  const ownedScope = GLOBS.slice(n * GLOBS_EACH, (n + 1) * GLOBS_EACH)
  const lists = { ownedScope, constraints: [], acceptanceCriteria: [], checks: [], dependsOn: [] }
  return { id: `INT-${n}`, name: `Part ${n}`, status: 'IN_PROGRESS', ...lists }
}

/** Globs as people write them: directories, file types, single files, a few exclusions. */
function globOf(n: number): string {
  const dir = `packages/p${n % 50}/src/part${n}`
  const shapes = [`${dir}/**`, `${dir}/*.ts`, `${dir}/**/*.{ts,tsx}`, `${dir}/index.ts`, `!${dir}/legacy/**`]
  return shapes[n % shapes.length] ?? dir
}

/** Paths of which half are near a glob. */
function pathOf(n: number): string {
  const part = (n * 7) % (INTENTS * GLOBS_EACH)
  return n % 2 === 0 ? pathIn(part, n) : `services/s${n % 40}/lib/module/file${n}.ts`
}

function pathIn(part: number, n: number): string {
  return `packages/p${part % 50}/src/part${part}/deep/file${n}.ts`
}
