import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HOME_HOSTS, HOSTS, homeOf, hostOfCommand, profileOf } from '../../src/hosts/index.js'
import { HOST_SETTINGS, protection } from '../../src/policy/protected.js'
import { REPOSITORY } from '../support/usage.js'

const isBelow = (path: string, dirs: readonly string[]) =>
  dirs.some((dir) => path === dir || path.startsWith(`${dir}/`))

describe.each(HOSTS)('the profile of %s', (host) => {
  const { presence, protectedNames, closedToCommands, workspaceSettings: obeys } = profileOf(host)

  it('protects every path that configures or instructs it, at any depth and in any case', () => {
    const names = [...protectedNames.configures, ...protectedNames.instructs].map((name) => name.replace('*', ''))
    const files = [...(obeys.json ?? []), ...(obeys.toml ?? []), ...(obeys.programs ?? []), ...(obeys.texts ?? [])]
    for (const path of [...names, ...files, ...closedToCommands, ...presence])
      for (const spelt of [path, `packages/one/${path}`, path.toUpperCase()])
        expect([spelt, protection(spelt)?.level]).toEqual([spelt, 'literal'])
  })

  it('closes to commands every file that it runs without asking', () => {
    for (const path of closedToCommands) expect(HOST_SETTINGS).toContain(path)
    for (const path of [...(obeys.json ?? []), ...(obeys.toml ?? [])])
      expect([path, isBelow(path, HOST_SETTINGS)]).toEqual([path, true])
  })

  it('has a guide', () => {
    expect(existsSync(join(REPOSITORY, 'docs/hosts', `${host}.md`))).toBe(true)
  })
})

it("finds a program's host by its name, in any directory", () => {
  for (const host of HOME_HOSTS)
    for (const program of homeOf(host).programs) expect(hostOfCommand([`/opt/bin/${program}`, '-p'])).toBe(host)
  expect(hostOfCommand(['bash'])).toBeUndefined()
  expect(hostOfCommand([])).toBeUndefined()
})

it.each([
  ['npx @openai/codex exec', 'codex'],
  ['npx -y @agentclientprotocol/claude-agent-acp@0.101.0', 'claude'],
  ['/usr/bin/npx --yes -- @agentclientprotocol/codex-acp@latest --flag', 'codex'],
  ['npm exec -- @google/gemini-cli', 'gemini'],
  ['npm x opencode-ai', 'opencode'],
  ['pnpm dlx cline@3', 'cline'],
  ['yarn dlx @anthropic-ai/claude-code', 'claude'],
  ['bun x @openai/codex', 'codex'],
  ['bunx @openai/codex', 'codex'],
  // Another package, whatever it is called.
  ['npx @evil/claude-agent-acp', undefined],
  ['npx claude-agent-acp', undefined],
  ['npx other @openai/codex', undefined],
  ['npx -p @openai/codex other', undefined],
  ['npx -c @openai/codex', undefined],
  ['npx --registry @openai/codex other', undefined],
  ['npm run @openai/codex', undefined],
  ['npm install @openai/codex', undefined],
  ['dlx @openai/codex', undefined],
  ['npx', undefined],
])('finds the host of an npm package that a command runs: %s', (command, host) => {
  expect(hostOfCommand(command.split(' '))).toBe(host)
})
