import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import type { HostName } from '../hosts/index.js'
import { userHome } from '../os/home.js'
import { isFields, parseJsonc } from '../os/json-edit.js'
import { readSmall } from '../os/read.js'

const MAX_BYTES = 1 << 20

type Fields = Readonly<Record<string, unknown>>

/** Why a client would not run hooks of a workspace, by every layer of its settings. Unreadable files are ignored. */
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
    ...jsonFilesIn(join(dir, 'managed-settings.d')),
  ])
  const userSettings = join(env.CLAUDE_CONFIG_DIR || join(home, '.claude'), 'settings.json')
  const shared = ['settings.json', 'settings.local.json'].map((name) => join(root, '.claude', name))
  const disabling = [...managed, userSettings, ...shared].filter((file) => readFields(file).disableAllHooks === true)
  const managedOnly = managed.filter((file) => readFields(file).allowManagedHooksOnly === true)
  return [
    ...disabling.map((file) => `${file} disables all hooks (\`disableAllHooks\`).`),
    ...managedOnly.map((file) => `${file} allows only its own hooks (\`allowManagedHooksOnly\`).`),
  ]
}

/** Directories of an administrator's settings of Claude Code. */
const MANAGED = ['/etc/claude-code', '/Library/Application Support/ClaudeCode']

/** Codex asks for trust only when started at a terminal, and silently skips untrusted hooks. */
function codexProblems(root: string, home: string): string[] {
  const file = join(home, 'config.toml')
  const text = readText(file)
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
  const disabling = layers.filter((file) => disablesHooks(readFields(file).hooksConfig))
  return [
    ...disabling.map((file) => `${file} disables its hooks (\`hooksConfig\`).`),
    ...(isTrustedFolder(root, home, layers, env)
      ? []
      : [
          'Gemini CLI does not trust this folder, so it runs none of its hooks. Start gemini here, and trust the folder when it asks.',
        ]),
  ]
}

function disablesHooks(config: unknown): boolean {
  const { enabled, disabled } = isFields(config) ? config : {}
  return enabled === false || (Array.isArray(disabled) && disabled.includes('escrow'))
}

/** Looks up the longest matching folder, as Gemini CLI does. */
function isTrustedFolder(root: string, home: string, layers: readonly string[], env: NodeJS.ProcessEnv): boolean {
  if (env.GEMINI_CLI_TRUST_WORKSPACE === 'true') return true
  const trust = layers
    .map((file) => readFields(file).security)
    .map((security) => isFields(security) && security.folderTrust)
  if (trust.some((each) => isFields(each) && each.enabled === false)) return true
  const file = env.GEMINI_CLI_TRUSTED_FOLDERS_PATH || join(home, '.gemini', 'trustedFolders.json')
  const realRoot = realpathSync(root)
  const [best] = Object.entries(readFields(file))
    .filter(([path, level]) => isBelow(level === 'TRUST_PARENT' ? dirname(path) : path, realRoot))
    .sort(([a], [b]) => b.length - a.length)
  return best !== undefined && ['TRUST_FOLDER', 'TRUST_PARENT'].some((level) => level === best[1])
}

function isBelow(folder: string, place: string): boolean {
  const relativePath = relative(existsSync(folder) ? realpathSync(folder) : folder, place)
  return relativePath !== '..' && !relativePath.startsWith('../')
}

function jsonFilesIn(dir: string): string[] {
  try {
    const names = readdirSync(dir).filter((name) => name.endsWith('.json'))
    return names.map((name) => join(dir, name))
  } catch {
    return []
  }
}

function readFields(file: string): Fields {
  try {
    const value = parseJsonc(readSmall(file, MAX_BYTES))
    return isFields(value) ? value : {}
  } catch {
    return {}
  }
}

function readText(file: string): string {
  try {
    return readSmall(file, MAX_BYTES)
  } catch {
    return ''
  }
}
