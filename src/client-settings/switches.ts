import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { HostName } from '../hosts/index.js'
import { userHome } from '../os/home.js'
import { isFields, parseJsonc } from '../os/json-edit.js'
import { readSmall } from '../os/read.js'

const MAX_BYTES = 1 << 20

type Fields = Readonly<Record<string, unknown>>

/** Why a client would not run hooks that are in a workspace's settings, by every layer of its settings. A file that cannot be read says nothing. */
export function hookProblems(root: string, client: HostName, env: NodeJS.ProcessEnv = process.env): string[] {
  const home = env.HOME || userHome()
  switch (client) {
    case 'claude':
      return claudeProblems(root, home, env)
    case 'codex':
      return codexProblems(root, env.CODEX_HOME || join(home, '.codex'))
    case 'gemini':
      return geminiProblems(root, home, env)
    default:
      return []
  }
}

function claudeProblems(root: string, home: string, env: NodeJS.ProcessEnv): string[] {
  const managed = MANAGED.flatMap((dir) => [
    join(dir, 'managed-settings.json'),
    ...jsonIn(join(dir, 'managed-settings.d')),
  ])
  const own = join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json')
  const shared = ['settings.json', 'settings.local.json'].map((name) => join(root, '.claude', name))
  const off = [...managed, own, ...shared].filter((file) => fieldsIn(file).disableAllHooks === true)
  const closed = managed.filter((file) => fieldsIn(file).allowManagedHooksOnly === true)
  return [
    ...off.map((file) => `${file} disables all hooks (\`disableAllHooks\`).`),
    ...closed.map((file) => `${file} allows only its own hooks (\`allowManagedHooksOnly\`).`),
  ]
}

/** Where an administrator's settings of Claude Code are. */
const MANAGED = ['/etc/claude-code', '/Library/Application Support/ClaudeCode']

/** It asks for trust when it is started at a terminal, and passes over hooks that have none without a word. */
function codexProblems(root: string, home: string): string[] {
  const file = join(home, 'config.toml')
  const text = textIn(file)
  const hooks = join(realpathSync(root), '.codex', 'hooks.json')
  const isTrusted = text.includes(`${hooks}:pre_tool_use:`)
  const isOff = /^\s*(?:features\.)?(?:codex_)?hooks\s*=\s*false\b/m.test(text)
  return [
    ...(isTrusted
      ? []
      : [
          'Codex does not trust its hooks here, so it runs none of them. Start codex here, and trust them when it asks.',
        ]),
    ...(isOff ? [`${file} disables hooks.`] : []),
  ]
}

function geminiProblems(root: string, home: string, env: NodeJS.ProcessEnv): string[] {
  const layers = [
    env.GEMINI_CLI_SYSTEM_SETTINGS_PATH || '/etc/gemini-cli/settings.json',
    join(home, '.gemini', 'settings.json'),
    join(root, '.gemini', 'settings.json'),
  ]
  const off = layers.filter((file) => switchesOff(fieldsIn(file).hooksConfig))
  return [
    ...off.map((file) => `${file} disables its hooks (\`hooksConfig\`).`),
    ...(isTrustedFolder(root, home, layers, env)
      ? []
      : [
          'Gemini CLI does not trust this folder, so it runs none of its hooks. Start gemini here, and trust the folder when it asks.',
        ]),
  ]
}

function switchesOff(config: unknown): boolean {
  const { enabled, disabled } = isFields(config) ? config : {}
  return enabled === false || (Array.isArray(disabled) && disabled.includes('escrow'))
}

/** The longest of the folders it has a word on, as Gemini CLI takes them. */
function isTrustedFolder(root: string, home: string, layers: readonly string[], env: NodeJS.ProcessEnv): boolean {
  if (env.GEMINI_CLI_TRUST_WORKSPACE === 'true') return true
  const trust = layers
    .map((file) => fieldsIn(file).security)
    .map((security) => isFields(security) && security.folderTrust)
  if (trust.some((each) => isFields(each) && each.enabled === false)) return true
  const file = env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(home, '.gemini', 'trustedFolders.json')
  const place = realpathSync(root)
  const [best] = Object.entries(fieldsIn(file))
    .filter(([path, level]) => isBelow(level === 'TRUST_PARENT' ? dirname(path) : path, place))
    .sort(([a], [b]) => b.length - a.length)
  return best !== undefined && ['TRUST_FOLDER', 'TRUST_PARENT'].some((level) => level === best[1])
}

function isBelow(folder: string, place: string): boolean {
  const way = relative(existsSync(folder) ? realpathSync(folder) : folder, place)
  return way !== '..' && !way.startsWith('../')
}

function jsonIn(dir: string): string[] {
  try {
    const names = readdirSync(dir).filter((name) => name.endsWith('.json'))
    return names.map((name) => join(dir, name))
  } catch {
    return []
  }
}

function fieldsIn(file: string): Fields {
  try {
    const value = parseJsonc(readSmall(file, MAX_BYTES))
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

function textIn(file: string): string {
  try {
    return readSmall(file, MAX_BYTES)
  } catch {
    return ''
  }
}
