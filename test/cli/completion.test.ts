import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import type { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import { ARGUMENT_SOURCES, sourceOfOption } from '../../src/cli/completion/candidates.js'
import { SCRIPTS } from '../../src/cli/completion/scripts.js'
import { buildFullProgram } from '../../src/cli/program.js'
import { openWorkspace, type Session } from '../../src/index.js'
import { openShell, readersHome } from '../docs/reader.js'
import { start } from '../support/tmux.js'
import { trust } from '../support/trust.js'
import { startSession } from '../support/workspace.js'
import { inertContext } from './inert-context.js'

let home = ''
/** The id of the only commit. */
let tx = ''
let env: NodeJS.ProcessEnv = {}
beforeAll(async () => {
  const { status } = spawnSync(process.execPath, ['scripts/ensure-tools.mjs', 'zsh', 'fish'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('A shell is missing: see above.')
  home = readersHome()
  const { XDG_STATE_HOME } = process.env
  env = { HOME: home, PATH: `${home}/node_modules/.bin:${process.env.PATH}`, XDG_STATE_HOME }
  const shell = openShell(home, env)
  const setup = shell(`mkdir shop && cd shop && escrow init &&
    for shell in bash zsh fish powershell; do escrow completion $shell > ../complete.$shell || exit 1; done`)
  expect([setup.status, setup.stderr]).toEqual([0, ''])
  tx = await createContents(`${home}/shop`)
})

/** Creates one commit, and a session with one staged change. Resolves with the commit's id. */
async function createContents(root: string): Promise<string> {
  fs.writeFileSync(
    `${root}/.orchestration/active_intents.yaml`,
    'active_intents:\n  - { id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ["src/**"] }\n',
  )
  fs.mkdirSync(`${root}/src`)
  trust(root)
  const workspace = await openWorkspace(root)
  const session = await startSession(workspace, 'agent-1')
  await write(session, 'call-1', 'src/old.txt')
  const review = await workspace.review('agent-1')
  await review.approve()
  const { id } = await review.commit()
  await write(session, 'call-2', 'src/new.txt')
  await session.close()
  await workspace.close()
  return id
}

function write(session: Session, id: string, path: string): Promise<unknown> {
  return session.toolCall({ id, tool: 'write_to_file', kind: 'edit' }, async () =>
    session.fs.writeFileSync(`${home}/shop/${path}`, 'one\n'),
  )
}

afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

/** Types a line up to the cursor, and returns the words that the shell offers. */
const OFFERED: Readonly<Record<string, (line: string) => string[]>> = {
  bash: (line) => {
    const args = line.split(' ')
    const list = args.map((word) => `'${word}'`).join(' ')
    const script = `. ../complete.bash; COMP_WORDS=(${list}) COMP_CWORD=${args.length - 1}; _escrow; printf '%s\\n' "\${COMPREPLY[@]}"`
    return completionsOf('bash', script)
  },
  fish: (line) => completionsOf('fish', `source ../complete.fish; complete -C '${line}'`),
}

function completionsOf(shell: string, script: string): string[] {
  const { stdout, stderr } = spawnSync(shell, ['-c', script], {
    ...{ cwd: `${home}/shop`, encoding: 'utf8' as const, env: { ...process.env, ...env } },
  })
  expect(stderr).toBe('')
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0] ?? '')
}

const SHELLS = ['bash', 'fish'] as const

describe.each(SHELLS)('%s', (shell) => {
  const offers = (line: string) => OFFERED[shell]?.(line) ?? []

  it('offers every command of the table, and no other', () => {
    expect(offers('escrow ').sort()).toEqual(COMMANDS.map(({ name }) => name).sort())
    expect(offers('escrow tra').sort()).toEqual(['trailer', 'travel'])
  })

  it('offers subcommands, options, and fixed values of arguments and options', () => {
    expect(offers('escrow intents sc')).toEqual(['scope'])
    expect(offers('escrow log --o')).toEqual(['--oneline'])
    expect(offers('escrow hook ')).toEqual(expect.arrayContaining(['claude', 'cline']))
    expect(offers('escrow intents add --status DR')).toEqual(['DRAFT'])
  })

  it('offers sessions, hunks, staged paths, snapshots, commits and intents', () => {
    expect(offers('escrow diff ag')).toEqual(['agent-1'])
    expect(offers('escrow -C . diff ag')).toEqual(['agent-1'])
    expect(offers('escrow approve agent-1 ')).toEqual(['src/new.txt'])
    expect(offers('escrow approve agent-1 --hunk ')).toEqual([expect.stringMatching(/^[0-9a-f]{4,}$/)])
    expect(offers('escrow approve agent-1 --call ')).toEqual(['call-2'])
    expect(offers('escrow travel agent-1 ').length).toBeGreaterThan(0)
    expect(offers('escrow undo ')).toEqual([tx])
    expect(offers('escrow use I')).toEqual(['INT-001'])
    expect(offers('escrow run --intent ')).toEqual(['INT-001'])
    expect(offers('escrow intents scope ')).toEqual(['INT-001'])
  })
})

it('fish and bash offer files only for arguments that accept any path', () => {
  expect(OFFERED.fish?.('escrow why sr')).toEqual(['src/'])
  expect(OFFERED.fish?.('escrow intents show sr')).toEqual(['src/'])
  expect(OFFERED.bash?.('escrow why sr')).toEqual([''])
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

it('every argument and value of a command has a source', async () => {
  const program = await buildFullProgram(inertContext)
  const all = commandsBelow(program)
  for (const each of all)
    for (const argument of each.registeredArguments)
      if (argument.argChoices === undefined)
        expect([each.name(), argument.name(), ARGUMENT_SOURCES[argument.name()]]).not.toContain(undefined)
  const idOptions = all.flatMap(({ options }) => options.filter(({ flags }) => /<(id|session|intent)\b/.test(flags)))
  for (const option of idOptions)
    if (option.long !== '--model' && option.long !== '--id')
      expect([option.flags, sourceOfOption(option)]).not.toContain('files')
})

function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap(commandsBelow)]
}

/** PowerShell is not in Debian's archive, so nothing runs its script here: only its quoting is checked. */
it('the script for PowerShell closes each quote and bracket', () => {
  const rest = SCRIPTS.powershell.replace(/"(?:[^"`]|`.|\$\([^)]*\))*"|'(?:[^']|'')*'/g, '')
  for (const [open, close] of ['()', '{}', '[]'])
    expect(rest.split(open ?? '').length).toBe(rest.split(close ?? '').length)
})
