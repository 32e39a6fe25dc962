import { mkdirSync, writeFileSync } from 'node:fs'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { AllowedHosts } from '../../src/core/allowed-hosts.js'
import { asksPerson, networkGranted } from '../../src/exec/network-grant.js'
import { tempDir } from '../support/facade.js'

afterEach(() => void vi.unstubAllEnvs())

describe('a list of hosts in policy', () => {
  it('applies to commands that request or use the network; an empty list allows no host', () => {
    const list = ['example.com']
    expect(networkGranted({}, list, ['read-only'])).toBe(false)
    expect(networkGranted({}, list, ['build', 'network'])).toEqual(list)
    expect(networkGranted({ network: true }, list, [])).toEqual(list)
    expect(networkGranted({ hosts: ['a.example.com'] }, list, ['network'])).toEqual(['a.example.com'])
    expect(networkGranted({ network: true, hosts: ['b.example'] }, list, [])).toEqual(['example.com', 'b.example'])
    expect(networkGranted({ network: true }, [], [])).toEqual([])
  })

  it('is optional: without it, only a request gets the network', () => {
    for (const setting of [true, false, 'ask'] as const) {
      expect(networkGranted({}, setting, ['network'])).toBe(false)
      expect(networkGranted({ network: true }, setting, [])).toBe(true)
      expect([asksPerson({ network: true }, setting), asksPerson({}, setting)]).toEqual([true, false])
    }
  })

  it('does not ask for listed hosts or the provider, and asks for all others', () => {
    expect(asksPerson({ network: true }, ['example.com'])).toBe(false)
    expect(asksPerson({ hosts: ['example.com:22'] }, ['example.com'])).toBe(true)
    expect(asksPerson({ hosts: ['https://example.com'] }, ['example.com'])).toBe(true)
    expect(asksPerson({ hosts: ['api.anthropic.com'], client: 'claude' }, [])).toBe(false)
  })

  it("can name the person's registries, and the provider of the client", () => {
    const { path, dispose } = tempDir()
    onTestFinished(dispose)
    mkdirSync(`${path}/home`)
    writeFileSync(
      `${path}/home/.npmrc`,
      'registry=https://npm.corp.example/\n@own:registry = http://own.example:4873\n//npm.corp.example/:_authToken=x\nregistry=nothing\n',
    )
    for (const name of ['npm_config_registry', 'NPM_CONFIG_REGISTRY', 'UV_DEFAULT_INDEX']) vi.stubEnv(name, undefined)
    vi.stubEnv('HOME', `${path}/home`)
    vi.stubEnv('PIP_INDEX_URL', 'https://pip.corp.example/simple')
    const granted = networkGranted({ network: true }, ['registry'], [])
    expect(granted).toEqual(
      expect.arrayContaining(['registry.npmjs.org', 'pypi.org', 'npm.corp.example', 'own.example:4873']),
    )
    expect(granted).toContain('pip.corp.example')
    expect(granted).not.toContain('nothing')
    if (typeof granted === 'object') expect(() => new AllowedHosts(granted)).not.toThrow()
    expect(networkGranted({ network: true }, ['provider'], [])).toEqual([])
    expect(networkGranted({ network: true, client: 'claude' }, ['provider'], [])).toContain('api.anthropic.com')
  })
})
