import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { testWorkspace } from '../support/workspace.js'

/** Runs one of our programs on a short shell command. V8 writes on stdout what it compiles. */
function runTraced(program: string, args: readonly string[]) {
  const { root } = testWorkspace()
  const env = { ...process.env, ESCROW_SESSION_ID: 'shell', ESCROW_INTENT_ID: 'INT-001' }
  const command = ['--trace-wasm-compilation-times', `${compileOnce()}/${program}`, ...args]
  return spawnSync(process.execPath, command, { cwd: root, env, encoding: 'utf8' })
}

describe('the grammar of a shell command is not optimized', () => {
  it.each([
    ['escrow', 'test/children/escrow.js', ['run', '--intent', 'INT-001', '--', 'sh', '-c', 'echo a | cat']],
    ['escrow-sh', 'src/cli/sh.js', ['-c', 'echo a | cat']],
  ] as const)('in %s, which would have to wait for it', (_, program, args) => {
    const { status, stdout } = runTraced(program, args)
    expect(status).toBe(0)
    expect(stdout).toContain('using Liftoff')
    expect(stdout).not.toContain('using TurboFan')
  })
})
