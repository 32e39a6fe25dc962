import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { testWorkspace } from '../support/workspace.js'

/** Runs a shell script with `$NODE`, and `$ESCROW` and `$SH` as the programs. */
function runScript(cwd: string, script: string, env: NodeJS.ProcessEnv = {}) {
  const children = `${compileOnce()}/test/children`
  const programs = { NODE: process.execPath, ESCROW: `${children}/escrow.js`, SH: `${compileOnce()}/src/cli/sh.js` }
  const { status, stdout, stderr } = spawnSync('/bin/sh', ['-c', script], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...programs, ...env },
  })
  return { status, stdout, stderr }
}

const REMOVED = 'mkdir gone && cd gone && rmdir ../gone && '

describe('a working directory that was removed', () => {
  it('is named in one line', () => {
    const { status, stdout, stderr } = runScript(testWorkspace().root, `${REMOVED}"$NODE" "$ESCROW" status`)
    const message = 'escrow: The working directory was removed. (unsupported)\n'
    expect([status, stdout, stderr]).toEqual([1, '', `${message}Change to a directory that exists, and try again.\n`])
  })

  it.each(['claude', 'codex', 'gemini', 'opencode'])('makes the hook of %s refuse the call', (client) => {
    const { status, stderr } = runScript(testWorkspace().root, `${REMOVED}echo '{}' | "$NODE" "$ESCROW" hook ${client}`)
    expect([status, stderr]).toEqual([2, expect.stringContaining('escrow: The working directory was removed.')])
  })

  it('makes the hook of cline refuse the call', () => {
    const { status, stdout } = runScript(testWorkspace().root, `${REMOVED}echo '{}' | "$NODE" "$ESCROW" hook cline`)
    expect([status, JSON.parse(stdout)]).toMatchObject([0, { cancel: true }])
  })

  it('makes escrow-sh run nothing', () => {
    const script = `${REMOVED}"$NODE" "$SH" --session s -c 'echo run'`
    const { status, stdout, stderr } = runScript(testWorkspace().root, script)
    expect([status, stdout]).toEqual([126, ''])
    expect(stderr).toMatch(/^escrow-sh: not run: The working directory was removed\./)
  })
})

it('a umask that denies access to new files is refused before anything is written', () => {
  const { root } = testWorkspace()
  const run = runScript(root, 'umask 777; "$NODE" "$ESCROW" run --intent INT-001 -- true')
  expect(run).toMatchObject({ status: 1, stderr: expect.stringContaining('The umask 0777 denies you access') })
  expect(runScript(root, '"$NODE" "$ESCROW" status').stdout).toContain('No sessions.')
  expect(runScript(root, 'umask 777; "$NODE" "$ESCROW" --help').status).toBe(0)
})

describe.runIf(process.getuid?.() === 0)('a user without an entry in the user database', () => {
  const asNobody = 'unset HOME; exec setpriv --reuid 54321 --regid 54321 --clear-groups "$NODE" "$ESCROW"'

  it('needs no HOME', () => {
    const { root } = testWorkspace()
    chmodSync(root, 0o755)
    const { status, stderr } = runScript(root, `${asNobody} status`, { XDG_STATE_HOME: '' })
    expect([status, stderr]).toEqual([0, ''])
  })

  it('gets a refusal from a hook in a directory that it may not enter', () => {
    const { root } = testWorkspace()
    chmodSync(root, 0o700)
    const { status, stderr } = runScript(root, `echo '{}' | (${asNobody} hook claude)`, { XDG_STATE_HOME: '' })
    expect([status, stderr]).toEqual([2, expect.stringMatching(/^escrow: .*\n$/)])
  })
})
