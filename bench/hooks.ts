import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import officialManifest from '@modelcontextprotocol/server-filesystem/package.json' with { type: 'json' }
import { openJudge } from '../src/index.js'
import { hookToken } from '../src/surface/index.js'
import type { Bench, Suite } from './bench.js'
import type { Variant } from './harness.js'
import { contentOf, memoryPlace, namesOf } from './places.js'
import { OURS } from './report.js'
import { ESCROW, personEnv } from './tools.js'
import { declareIntent, govern } from './workspace.js'

const BYTES = 4_096
/** Whole lines: a file that does not parse has no facts of its syntax. */
const SOURCE = 59 * 68
const GUARDED = 'export function pay(user?: string): void {\n  if (!user) throw new Error("no user")\n}\n'
const BARE = 'export function pay(user?: string): void {\n}\n'
const COLD_AIM = { of: 'ratio', atMost: 1.3 } as const
const SERVED_AIM = { of: 'value', atMost: 2e6 } as const

/** Measures one decision for a host: in a new process per tool call, in a running process, and behind MCP. */
export const hooks: Suite = async (bench) => {
  const root = memoryPlace().path
  mkdirSync(`${root}/src`)
  declareIntent(root, { active: true })
  await measureCold(bench, root)
  await measureCommands(bench, root)
  await measureServed(bench, root)
  await measureMcp(bench, root)
}

async function measureCold(bench: Bench, root: string): Promise<void> {
  const title = 'one hook decision by a process of its own'
  if (!existsSync(ESCROW)) return bench.skip(title, 'dist/ is missing: npm run build', COLD_AIM)
  const file_path = `${root}/src/a.ts`
  const read = { tool_name: 'Read', tool_input: { file_path } }
  const write = { tool_name: 'Write', tool_input: { file_path, content: contentOf(BYTES).toString() } }
  // A client's own write is always refused, because it would not be staged. The allowed call is a read.
  const allowed = hookProcess(OURS, root, read, (out) => !out.includes('"deny"'))
  const refused = hookProcess(`${OURS}, a refusal that is recorded`, root, write, (out) => out.includes('"deny"'))
  await bench.compare({
    title,
    mode: 'sync',
    aim: COLD_AIM,
    heavy: true,
    variants: [nodeStart(root), allowed, refused],
  })
}

/**
 * Measures commands that people and scripts type often, each in a new process. The session has new files, and changed ones that have to
 * be parsed for their facts: the first call caches those.
 */
async function measureCommands(bench: Bench, root: string): Promise<void> {
  const code = contentOf(SOURCE).toString()
  const changed = namesOf('src/changed', 10)
  mkdirSync(`${root}/src/changed`, { recursive: true })
  for (const path of changed) writeFileSync(`${root}/${path}`, `${code}${GUARDED}`)
  const { workspace, session } = await govern(root, 'commands', { durability: 'process' })
  for (const path of namesOf('src', 10)) session.fs.writeFileSync(path, contentOf(BYTES))
  for (const path of changed) session.fs.writeFileSync(path, `${code}${BARE}`)
  await workspace.close()
  for (const args of [['status'], ['diff', 'commands', '--stat']]) {
    const title = `escrow ${args[0]}${args.includes('--stat') ? ' --stat' : ''} in a new process`
    if (!existsSync(ESCROW)) bench.skip(title, 'dist/ is missing: npm run build', COLD_AIM)
    else {
      const ours = { name: OURS, run: () => runProgram([process.execPath, ESCROW, ...args], root) }
      await bench.compare({ title, mode: 'sync', aim: COLD_AIM, heavy: true, variants: [nodeStart(root), ours] })
    }
  }
}

function nodeStart(root: string): Variant {
  return { name: `node -e 0 (${process.version})`, run: () => runProgram([process.execPath, '-e', '0'], root) }
}

function hookProcess(name: string, root: string, call: object, isExpected: (out: string) => boolean): Variant {
  const about = { session_id: 'cold', cwd: root, hook_event_name: 'PreToolUse', tool_use_id: 'call-1' }
  const event = JSON.stringify({ ...about, ...call })
  return {
    name,
    run() {
      const out = runProgram([process.execPath, ESCROW, 'hook', 'claude'], root, event)
      if (!isExpected(out)) throw new Error(`the hook answered ${out}`)
    },
  }
}

function runProgram([program = '', ...args]: readonly string[], cwd: string, input = ''): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: personEnv(), input, encoding: 'utf8' })
  if (status === 0) return stdout
  throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`)
}

async function measureServed(bench: Bench, root: string): Promise<void> {
  const session = 'served'
  const call = { tool: 'Write', writes: [{ path: 'src/a.ts', effect: 'put' }] } as const
  const judge = await openJudge(root, { session })
  const decide = async (by: typeof judge) => {
    const denial = await by.judge(call)
    if (denial) throw new Error(denial.message)
  }
  const variants = [{ name: OURS, run: () => decide(judge) }]
  await bench.compare({ title: 'one decision, served in process', mode: 'async', aim: SERVED_AIM, variants })
  const fresh = [{ name: OURS, run: async () => decide(await openJudge(root, { session })) }]
  const title = 'one decision in a running process that reads its files again'
  await bench.compare({ title, mode: 'async', variants: fresh })
  await measureHttp(bench, root)
}

/** Measures decisions of `escrow serve`: one request each, over a kept connection. */
async function measureHttp(bench: Bench, root: string): Promise<void> {
  const title = 'one decision, served over loopback HTTP'
  if (!existsSync(ESCROW)) return bench.skip(title, 'dist/ is missing: npm run build', SERVED_AIM)
  const server = spawn(process.execPath, [ESCROW, 'serve'], {
    ...{ cwd: root, env: personEnv() },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    const [line] = await once(server.stdout, 'data')
    const address = new URL('/hooks/claude', String(line))
    const headers = { authorization: `Bearer ${hookToken(root)}` }
    const about = { session_id: 'served', cwd: root, hook_event_name: 'PreToolUse', tool_use_id: 'call-1' }
    const body = JSON.stringify({ ...about, tool_name: 'Read', tool_input: { file_path: `${root}/src/a.ts` } })
    const run = async () => {
      const answer = await fetch(address, { method: 'POST', headers, body })
      const text = await answer.text()
      if (answer.status !== 200 || text.includes('deny')) throw new Error(`the hook answered ${answer.status}: ${text}`)
    }
    await bench.compare({ title, mode: 'async', aim: SERVED_AIM, variants: [{ name: OURS, run }] })
  } finally {
    server.kill()
  }
}

/** Measures a round trip of `write_file` over stdio. The official server writes the file, ours stages it. */
async function measureMcp(bench: Bench, root: string): Promise<void> {
  const title = 'write_file of 4 KB over MCP, there and back'
  if (!existsSync(ESCROW)) return bench.skip(title, 'dist/ is missing: npm run build')
  const name = '@modelcontextprotocol/server-filesystem'
  const official = `${dirname(createRequire(import.meta.url).resolve(`${name}/package.json`))}/dist/index.js`
  const raw = memoryPlace().path
  mkdirSync(`${raw}/src`)
  const sides = [
    await connectServer(`${name} ${officialManifest.version}`, raw, [official, raw]),
    await connectServer(OURS, root, [ESCROW, 'mcp']),
  ]
  await bench.compare({
    title,
    mode: 'async',
    maxWarmUp: 500,
    maxBatch: 50,
    variants: sides.map(({ variant }) => variant),
  })
  for (const { client } of sides) await client.close()
}

async function connectServer(name: string, root: string, args: string[]) {
  const client = new Client({ name: 'bench', version: '1' })
  // Without it the server would look for accepted rules in the state directory of the person who runs the bench.
  const env = personEnv()
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd: root, env, stderr: 'ignore' }))
  const content = contentOf(BYTES).toString()
  const variant: Variant = {
    name,
    async run(iteration) {
      const path = `${root}/src/f${iteration % 100}.ts`
      const answer = await client.callTool({
        name: 'write_file',
        arguments: { path, content: `${iteration}${content}` },
      })
      if (answer.isError) throw new Error(JSON.stringify(answer.content))
    },
  }
  return { client, variant }
}
