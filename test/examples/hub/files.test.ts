import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { run } from '../../../src/cli/run.js'

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')

const SERVICE = z.object({
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  configs: z.array(z.object({ source: z.string() })).default([]),
  volumes: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.unknown()).default({}),
  network_mode: z.string().optional(),
})
const COMPOSE = z.object({
  services: z.record(z.string(), SERVICE),
  configs: z.record(z.string(), z.object({ content: z.string() })),
  volumes: z.record(z.string(), z.null()),
})

/** Runs an escrow command's `--help`, and expects of each of its options that it is there. */
async function expectCommand([program, ...words]: readonly string[]): Promise<void> {
  expect(program).toMatch(/(?:^|\/)escrow$/)
  let help = ''
  const out = (text: string) => {
    help += text
  }
  const io = { out, err: out, cwd: tmpdir(), terminal: false, color: false, version: '0' }
  await run([words[0] ?? '', '--help'], io, () => Promise.reject(new Error('--help needs no library')))
  expect(help).toContain('Usage: escrow hub')
  for (const option of words.filter((word) => word.startsWith('--'))) expect(help).toContain(option)
}

/** Each variable of ours that a file names must be one that the hub reads. */
function expectOwnVariables(text: string): void {
  const named = new Set(text.match(/\bESCROW_\w+/g))
  expect([...named]).toContain('ESCROW_HUB_DATABASE')
  for (const name of named) expect(read('src/cli/hub/with-database.ts')).toContain(`process.env.${name}`)
}

it('the compose file names what exists, and has no password', async () => {
  const text = read('examples/hub/compose.yaml')
  const { services, configs, volumes } = COMPOSE.parse(parse(text))
  expectOwnVariables(text)
  await expectCommand(services.hub?.command ?? [])
  for (const service of Object.values(services)) {
    for (const { source } of service.configs) expect(Object.keys(configs)).toContain(source)
    for (const volume of service.volumes) expect(Object.keys(volumes)).toContain(volume.split(':')[0])
    const others = [...Object.keys(service.depends_on), ...(service.network_mode?.split(':').slice(1) ?? [])]
    for (const other of others) expect(Object.keys(services)).toContain(other)
  }
  // Every value of a password is the operator's, and none may be empty.
  for (const variable of text.match(/\$\{HUB_PASSWORD[^}]*\}/g) ?? []) expect(variable).toContain(':?')
  const [, port] = /reverse_proxy 127\.0\.0\.1:(\d+)/.exec(configs.proxy?.content ?? '') ?? []
  expect(services.hub?.command).toEqual(['escrow', 'hub', '--port', port])
  expect(configs.owner?.content).toContain('createrole')
})

it('the systemd unit starts what exists, and systemd accepts it', async () => {
  const unit = read('examples/hub/escrow-hub.service')
  expectOwnVariables(unit)
  const [, line = ''] = /^ExecStart=(.*)$/m.exec(unit) ?? []
  await expectCommand(line.split(' '))
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return
  const place = mkdtempSync(join(tmpdir(), 'escrow-unit-'))
  onTestFinished(() => rmSync(place, { recursive: true, force: true }))
  const file = join(place, 'escrow-hub.service')
  const verify = (text: string) => {
    writeFileSync(file, text.replace('/usr/local/bin/escrow', process.execPath))
    const { stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' })
    return (stdout + stderr).split('\n').filter((each) => each.includes(file) || each.includes('escrow-hub.service'))
  }
  expect(verify(unit)).toEqual([])
  expect(verify(unit.replace('NoNewPrivileges', 'NoNewPrivilege'))).not.toEqual([])
})
