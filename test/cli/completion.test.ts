import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import { openShell, readersHome } from '../docs/reader.js'
import { stateOf } from '../support/state.js'
import { start } from '../support/tmux.js'

let home = ''
let env: NodeJS.ProcessEnv = {}
beforeAll(() => {
  const { status } = spawnSync(process.execPath, ['scripts/ensure-tools.mjs', 'zsh', 'fish'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('A shell is missing: see above.')
  home = readersHome()
  const { XDG_STATE_HOME } = process.env
  env = { HOME: home, PATH: `${home}/node_modules/.bin:${process.env.PATH}`, XDG_STATE_HOME }
  const shell = openShell(home, env)
  const made = shell(`mkdir shop && cd shop && escrow init &&
    for shell in bash zsh fish powershell; do escrow completion $shell > ../complete.$shell || exit 1; done`)
  expect([made.status, made.stderr]).toEqual([0, ''])
  fs.mkdirSync(`${stateOf(`${home}/shop`)}/sessions/agent-1`, { recursive: true })
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

/** Types a line up to the cursor; answers what the shell offers. */
const OFFERED: Readonly<Record<string, (line: string) => string[]>> = {
  bash: (line) => {
    const words = line.split(' ')
    const list = words.map((word) => `'${word}'`).join(' ')
    const script = `. ../complete.bash; COMP_WORDS=(${list}) COMP_CWORD=${words.length - 1}; _escrow; printf '%s\\n' "\${COMPREPLY[@]}"`
    return offered('bash', script)
  },
  fish: (line) => offered('fish', `source ../complete.fish; complete -C '${line}'`),
}

function offered(shell: string, script: string): string[] {
  const { stdout, stderr } = spawnSync(shell, ['-c', script], {
    ...{ cwd: `${home}/shop`, encoding: 'utf8' as const, env: { ...process.env, ...env } },
  })
  expect(stderr).toBe('')
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
}

describe.each(['bash', 'fish'])('%s', (shell) => {
  const offers = (line: string) => OFFERED[shell]?.(line) ?? []

  it('offers every command of the table, and no other', () => {
    expect(offers('escrow ').sort()).toEqual(COMMANDS.map(({ name }) => name).sort())
    expect(offers('escrow tra').sort()).toEqual(['trailer', 'travel'])
  })

  it('offers the commands below a command, options, and what an argument can be', () => {
    expect(offers('escrow intents sc')).toEqual(['scope'])
    expect(offers('escrow log --o')).toEqual(['--oneline'])
    expect(offers('escrow hook ')).toEqual(expect.arrayContaining(['claude', 'cline']))
  })

  it('offers the sessions there are', () => {
    expect(offers('escrow diff ag')).toEqual(['agent-1'])
  })
})

it('zsh completes a command and a session as it is typed', async () => {
  const terminal = start('zsh -f', { cwd: `${home}/shop`, env })
  terminal.type('autoload -Uz compinit; compinit -u -D; source ../complete.zsh; PS1="ready> "')
  terminal.key('Enter')
  await terminal.waitFor(/^ready>$/m)
  terminal.type('escrow trav')
  terminal.key('Tab')
  await terminal.waitFor(/^ready> escrow travel$/m)
  terminal.type('ag')
  terminal.key('Tab')
  await terminal.waitFor(/^ready> escrow travel agent-1$/m)
})

/** No PowerShell is at hand to run it: its tables are read as it would read them. */
describe('PowerShell', () => {
  const script = () => fs.readFileSync(`${home}/complete.powershell`, 'utf8')
  const table = (name: string) => {
    const [, body = ''] = new RegExp(`^ {2}\\$${name} = @\\{\\n(.*?)\\n {2}\\}$`, 'ms').exec(script()) ?? []
    const texts = (list: string) =>
      [...list.matchAll(/'((?:[^']|'')*)'/g)].map(([, text = '']) => text.replace(/(['\u2018-\u201b])\1/g, '$1'))
    return new Map(
      body.split('\n').map((line) => {
        const [key = '', ...values] = texts(line)
        return [key, values.map((each) => each.split('\t')[0])]
      }),
    )
  }

  it('knows every command, options, values, and where a session is named', () => {
    expect(table('words').get('')).toEqual(COMMANDS.map(({ name }) => name))
    expect(table('words').get('/hook')).toEqual(expect.arrayContaining(['claude', 'cline']))
    expect(table('switches').get('/log')).toEqual(expect.arrayContaining(['-n', '--max-count', '--oneline', '--help']))
    expect(table('values').get('/intents/add:--status')).toContain('DRAFT')
    expect(script()).toMatch(/^ {2}\$sessions = @\(.*'\/diff'/m)
    expect(table('words').size).toBe(table('switches').size)
  })

  it('has each text in quotation marks that end where they should', () => {
    const rest = script().replace(/'(?:[^'\u2018-\u201b\n]|(['\u2018-\u201b])\1)*'/g, '')
    expect(rest).not.toMatch(/['\u2018-\u201b]/)
    for (const [open, close] of ['()', '{}', '[]'])
      expect(rest.split(open ?? '').length).toBe(rest.split(close ?? '').length)
  })
})
