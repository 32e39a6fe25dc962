import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { z } from 'zod'
import { TOOLS as SERVED } from '../../../src/agents/mcp/tools.js'
import { answerOpencode } from '../../../src/agents/opencode/index.js'
import { applyClients, planClients } from '../../../src/surface/index.js'
import { compileOnce } from '../../support/compiled.js'
import { setUpHooks } from '../hook/setup.js'

const run = (tool: string, args: object) => ({ tool, args, callID: 'x' })
const PATCH = '*** Begin Patch\n*** Delete File: src/a.ts\n*** Delete File: mail/m.ts\n*** End Patch'

describe('a call', () => {
  it.each([
    ['write', { filePath: 'src/a.ts', content: 'x' }],
    ['edit', { filePath: 'src/a.ts', oldString: 'a', newString: 'b' }],
    ['multiedit', { filePath: 'src/a.ts', edits: [] }],
    ['bash', { command: 'ls' }],
  ])('of %s is refused outside of a mount, and passes inside', async (tool, args) => {
    const answer = await setUpHooks().opencode('tool.execute.before', run(tool, args))
    expect(answer).toMatchObject({ go: false, refuse: expect.stringContaining('"reason":"unsupported"') })
    expect(await setUpHooks({ isStaged: true }).opencode('tool.execute.before', run(tool, args))).toEqual({ go: true })
  })

  it.each([
    ['write', { filePath: 'README.md', content: '' }, 'scope_violation'],
    ['edit', { filePath: '.opencode/plugins/escrow.js' }, 'protected_path'],
    ['write', { filePath: 'opencode.json' }, 'protected_path'],
    ['apply_patch', { patchText: PATCH }, 'scope_violation'],
    ['patch', { patchText: 'none' }, 'unsupported'],
    ['read', { filePath: '.env' }, 'access_denied'],
    ['grep', { pattern: 'x' }, 'access_denied'],
  ])('of %s %j is refused with and without a mount: %s', async (tool, args, reason) => {
    for (const isStaged of [true, false]) {
      const { opencode, project } = setUpHooks({ isStaged })
      project.write('.env', 'SECRET=1\n')
      const { go, refuse } = await opencode('tool.execute.before', run(tool, args))
      expect([go, JSON.parse(String(refuse)).reason]).toEqual([false, reason])
    }
  })

  it('passes for each tool of our own server, and for no other with that prefix', async () => {
    const { opencode } = setUpHooks()
    for (const { name } of SERVED)
      expect(await opencode('tool.execute.before', run(`escrow_${name}`, {}))).toEqual({ go: true })
    for (const tool of ['escrow_write_files', 'escrow_x_write_file', 'other_write_file', 'constructor'])
      expect((await opencode('tool.execute.before', run(tool, {}))).go).toBe(false)
  })

  it.each(['', '{', '{}', '{"event":"tool.execute.before","directory":"/"}', '{"event":"else","directory":"/"}'])(
    'fails on invalid input: %s',
    async (text) => {
      await expect(answerOpencode(text, { env: {} })).rejects.toThrow()
    },
  )
})

type Hook = (input: object, output: object) => Promise<void>
const hook = z.custom<Hook>((value) => typeof value === 'function')
const loaded = z.object({
  Escrow: z.custom<(context: object) => Promise<unknown>>((value) => typeof value === 'function'),
})
const hooks = z.object({ 'tool.execute.before': hook, 'experimental.chat.system.transform': hook })

describe('the plugin', () => {
  /** Loads the plugin as opencode does, with an `escrow` that runs this program. */
  async function plugin(program: string) {
    const { project } = setUpHooks()
    const bin = `${project.root}/bin`
    mkdirSync(bin)
    writeFileSync(`${bin}/escrow`, `#!/bin/sh\n${program}\n`)
    chmodSync(`${bin}/escrow`, 0o755)
    vi.stubEnv('PATH', `${bin}:${process.env.PATH}`)
    onTestFinished(() => void vi.unstubAllEnvs())
    applyClients(project.root, planClients(project.root, ['opencode']))
    const file = pathToFileURL(`${project.root}/.opencode/plugins/escrow.js`).href
    const { Escrow } = loaded.parse(await import(/* @vite-ignore */ file))
    const found = hooks.parse(await Escrow({ directory: project.root }))
    const call = (tool: string, args: object) =>
      found['tool.execute.before']({ tool, sessionID: 's', callID: 'c' }, { args })
    return { call, found }
  }

  it("throws the hook's refusals, and adds the protocol to the system prompt", async () => {
    const { call, found } = await plugin(`exec "${process.execPath}" "${compileOnce()}/test/children/escrow.js" "$@"`)
    await expect(call('write', { filePath: 'README.md', content: '' })).rejects.toThrow(/scope_violation/)
    await expect(call('list', { path: '.' })).resolves.toBeUndefined()
    const output = { system: ['before'] }
    await found['experimental.chat.system.transform']({}, output)
    expect(output.system).toEqual(['before', expect.stringContaining('# Working under an intent')])
  })

  it.each(['exit 1', 'echo no JSON', 'echo "{}"', 'echo \'{"go":1}\'', 'echo \'{"go":true}\'; exit 3', 'kill -9 $$'])(
    'blocks if the hook ends with %j',
    async (program) => {
      const { call } = await plugin(program)
      await expect(call('list', { path: '.' })).rejects.toThrow()
    },
  )
})
