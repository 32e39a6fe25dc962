import { chmodSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { applyClients, planClients, probeEntry } from '../../src/surface/index.js'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'
import { recordsOf, testWorkspace } from '../support/workspace.js'

const CLIENTS = ['claude', 'cline', 'codex', 'gemini', 'opencode'] as const

/** Makes `escrow` on PATH a shell script, on a machine where no launcher is installed. */
function installProgram(script: string | undefined): void {
  const { PATH, XDG_STATE_HOME } = process.env
  const { path, dispose } = tempDir()
  if (script !== undefined) {
    writeFileSync(join(path, 'escrow'), `#!/bin/sh\n${script}\n`)
    chmodSync(join(path, 'escrow'), 0o755)
  }
  process.env.PATH = `${path}:${dirname(process.execPath)}:/usr/bin:/bin`
  process.env.XDG_STATE_HOME = `${path}/state`
  onTestFinished(() => {
    Object.assign(process.env, { PATH, XDG_STATE_HOME })
    dispose()
  })
}

function enterClient(client: (typeof CLIENTS)[number]) {
  const project = testWorkspace()
  applyClients(project.root, planClients(project.root, [client]))
  return project
}

describe.each(CLIENTS)('the entry of %s', (client) => {
  it('answers, and leaves no record', async () => {
    installProgram(`exec '${process.execPath}' '${compileOnce()}/test/children/escrow.js' "$@"`)
    const project = enterClient(client)
    expect(await probeEntry(project.root, client)).toBeUndefined()
    expect(await recordsOf(await project.open())).toEqual([])
  })

  it.each([
    ['is missing', undefined],
    ['fails', 'exit 1'],
    ['prints something else', 'echo hello'],
    ['refuses', 'echo no >&2; exit 2'],
  ])('is refused if the program %s', async (_, script) => {
    installProgram(script)
    expect(await probeEntry(enterClient(client).root, client)).toMatch(/\S/)
  })
})

it('tests whether our server starts for a client without our hooks', async () => {
  installProgram('[ "$1" = --version ]')
  expect(await probeEntry(testWorkspace().root, 'roo')).toBeUndefined()
  installProgram(undefined)
  expect(await probeEntry(testWorkspace().root, 'roo')).toMatch(/escrow.*not found/)
})
