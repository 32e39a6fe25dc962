import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { testWorkspace } from '../support/workspace.js'

/** Runs a program on a short shell command. V8 writes on stdout what it compiles. */
function runTraced(...args: readonly string[]) {
  const { root } = testWorkspace()
  const env = { ...process.env, ESCROW_SESSION_ID: 'shell', ESCROW_INTENT_ID: 'INT-001' }
  return spawnSync(process.execPath, ['--trace-wasm-compilation-times', ...args], { cwd: root, env, encoding: 'utf8' })
}

const compiled = compileOnce()

/** A program of a host that embeds the library. */
const EMBEDDED = `
import { openWorkspace } from '${compiled}/src/index.js'
const workspace = await openWorkspace('.')
const session = await workspace.session({ id: 'agent' })
await session.selectIntent('INT-001')
const { exitCode } = await session.exec('echo a | cat')
await workspace.close()
process.exitCode = exitCode ?? 1`

describe('the grammar of a shell command is not optimized', () => {
  it.each([
    ['escrow', [`${compiled}/test/children/escrow.js`, 'run', '--intent', 'INT-001', '--', 'sh', '-c', 'echo a | cat']],
    ['escrow-sh', [`${compiled}/src/cli/sh.js`, '-c', 'echo a | cat']],
    ['a program that embeds the library', ['--input-type=module', '-e', EMBEDDED]],
  ])('in %s, which would have to wait for it', (_, args) => {
    const { status, stdout } = runTraced(...args)
    expect(status).toBe(0)
    expect(stdout).toContain('using Liftoff')
    expect(stdout).not.toContain('using TurboFan')
  })
})

/** Calls a function of another module of WebAssembly, loaded meanwhile or afterwards, until V8 would optimize it by default. */
const HOST = `
import { loadOptimizedLate } from '${compiled}/src/os/wasm-optimizer.js'
// (func (export "f") (local i32) (loop (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 1000000)))))
const bytes = Buffer.from('AGFzbQEAAAABBAFgAAADAgEABwUBAWYAAAoXARUBAX8DQCAAQQFqIgBBwIQ9SQ0ACws=', 'base64')
const run = () => {
  const { f } = new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports
  for (let n = 0; n < 10; n++) f()
}
const nested = () => loadOptimizedLate(async () => undefined)
await loadOptimizedLate(async () => {
  await Promise.all([nested(), nested()])
  if (process.argv[1] === 'meanwhile') run()
})
await loadOptimizedLate(async () => { throw new Error('not loaded') }).catch(() => undefined)
if (process.argv[1] === 'afterwards') run()
await new Promise((resolve) => setTimeout(resolve, 300))`

it('optimizes other modules of the process as by default, if they are loaded afterwards', () => {
  const optimized = (when: string) =>
    runTraced('--input-type=module', '-e', HOST, when).stdout.includes('using TurboFan')
  expect(optimized('afterwards')).toBe(true)
  expect(optimized('meanwhile')).toBe(false)
})

it("restores V8's default", () => {
  const { stdout } = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' })
  const limit = process.versions.v8.startsWith('11.') ? 1_800_000 : 13_000_000
  expect(stdout).toContain(`default: --wasm-tiering-budget=${limit}\n`)
})
