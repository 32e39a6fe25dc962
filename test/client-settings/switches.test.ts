import { mkdirSync, realpathSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { hookProblems } from '../../src/client-settings/switches.js'
import { tempDir } from '../support/facade.js'

function setUp(files: Readonly<Record<string, string>> = {}) {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  const place = realpathSync(path)
  const [root, home] = [`${place}/project`, `${place}/home`]
  for (const dir of [root, home]) mkdirSync(dir)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(`${place}/${name}`), { recursive: true })
    writeFileSync(`${place}/${name}`, text.replaceAll('ROOT', root))
  }
  return { root, env: { HOME: home } }
}

it.each([
  ['claude', 'home/.claude/settings.json', '{"disableAllHooks": true}', 'disableAllHooks'],
  ['claude', 'project/.claude/settings.local.json', '{"disableAllHooks": true}', 'disableAllHooks'],
  ['codex', 'project/.codex/hooks.json', '{}', 'does not trust its hooks'],
  ['gemini', 'home/.gemini/trustedFolders.json', '{"ROOT": "DO_NOT_TRUST"}', 'does not trust'],
  ['gemini', 'home/.gemini/trustedFolders.json', '{"ROOT/src": "TRUST_FOLDER"}', 'does not trust'],
  [
    'gemini',
    'home/.gemini/settings.json',
    '{"security":{"folderTrust":{"enabled":false}}, /* mine */ "hooksConfig":{"enabled":false}}',
    'hooksConfig',
  ],
] as const)('%s: %s with %s keeps our hooks from running', (client, path, text, reason) => {
  const { root, env } = setUp({ [path]: text })
  expect(hookProblems(root, client, env)).toEqual([expect.stringContaining(reason)])
})

it.each([
  ['claude', 'home/.claude/settings.json', '{"disableAllHooks": false}'],
  ['codex', 'home/.codex/config.toml', '[hooks.state."ROOT/.codex/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "x"\n'],
  ['gemini', 'home/.gemini/trustedFolders.json', '{"/": "DO_NOT_TRUST", "ROOT": "TRUST_FOLDER"}'],
  ['gemini', 'home/.gemini/trustedFolders.json', '{"ROOT/src": "TRUST_PARENT"}'],
  ['gemini', 'home/.gemini/settings.json', '{"security":{"folderTrust":{"enabled":false}}}'],
  ['cline', 'home/.cline/x.json', '{}'],
] as const)('%s: %s with %s leaves our hooks enabled', (client, path, text) => {
  const { root, env } = setUp({ [path]: text })
  expect(hookProblems(root, client, env)).toEqual([])
})

it('ignores a file that cannot be read', () => {
  const { root, env } = setUp({ 'home/.claude/settings.json': '{' })
  expect(hookProblems(root, 'claude', env)).toEqual([])
})
