import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { readersHome } from '../docs/reader.js'
import { start, type TerminalOptions } from '../support/tmux.js'

let home = ''
let env: NodeJS.ProcessEnv = {}
beforeAll(() => {
  home = readersHome()
  const PATH = `${home}/node_modules/.bin:${process.env.PATH}`
  const { XDG_STATE_HOME } = process.env
  env = { HOME: home, PATH, XDG_STATE_HOME, GIT_CONFIG_NOSYSTEM: '1', PAGER: '', LESS: '' }
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

function at(name: string): string {
  const dir = `${home}/${name}`
  fs.mkdirSync(dir, { recursive: true })
  return dir
}

const type = (command: string, cwd: string, options: TerminalOptions = {}) => start(command, { cwd, env, ...options })

async function stage(root: string, files: Readonly<Record<string, string>>): Promise<void> {
  const workspace = await openWorkspace(root)
  const session = await workspace.session({ id: 'agent-1', agent: { model: 'some-model' } })
  await session.selectIntent('INT-001')
  for (const [path, text] of Object.entries(files)) session.fs.writeFileSync(path, text)
  await workspace.close()
}

describe.each([
  ['an empty repository', 0],
  ['a repository of 5,000 files', 5_000],
])('in %s a person', (_, count) => {
  const name = `shop-${count}`

  it('answers the questions of init, and continues to the commit', { timeout: 60_000 }, async () => {
    const cwd = at(name)
    for (let n = 0; n < count; n++) {
      if (n % 100 === 0) fs.mkdirSync(`${cwd}/src/${n / 100}`, { recursive: true })
      fs.writeFileSync(`${cwd}/src/${Math.floor(n / 100)}/${n}.txt`, `${n}\n`)
    }
    const init = type('escrow init', cwd)
    await init.waitFor('Which agents work here?')
    init.key('Space')
    init.key('Enter')
    await init.waitFor('work on first?')
    init.type('Greetings')
    init.key('Enter')
    await init.waitFor('Which paths')
    init.key('Enter')
    await init.waitFor(/a workspace, and change 2 files as shown/)
    init.key('y')
    expect(await init.waitForExit()).toBe(0)
    expect(init.screen()).toContain('added    INT-001  Greetings')
    expect(fs.readFileSync(`${cwd}/.claude/settings.json`, 'utf8')).toContain('escrow hook claude')

    fs.mkdirSync(`${cwd}/src`, { recursive: true })
    await stage(cwd, { 'src/hello.txt': 'hello\n' })
    const rest = type(
      'escrow diff agent-1; escrow approve agent-1 --by Ada && escrow commit agent-1 && escrow log -n 1',
      cwd,
    )
    expect(await rest.waitForExit()).toBe(0)
    for (const text of ['+hello', 'approved  src/hello.txt', 'committed  src/hello.txt', 'commit  INT-001'])
      expect(rest.screen()).toContain(text)
    expect(fs.readFileSync(`${cwd}/src/hello.txt`, 'utf8')).toBe('hello\n')
  })
})

describe('Ctrl-C', () => {
  it.each([0, 1, 2, 3])('at question %i of init creates nothing', async (questions) => {
    const cwd = at(`left-${questions}`)
    const init = type('escrow init', cwd)
    const prompts = ['Which agents', 'work on first', 'Which paths', 'a workspace']
    for (const [at, words] of prompts.slice(0, questions + 1).entries()) {
      await init.waitFor(words)
      if (at === questions) break
      if (at === 1) init.type('Something')
      init.key('Enter')
    }
    init.key('C-c')
    expect(await init.waitForExit()).toBe(1)
    expect(init.screen()).toContain('Nothing was changed.')
    expect(fs.readdirSync(cwd)).toEqual([])
  })

  it('at the question about settings leaves them unchanged', async () => {
    const cwd = at('settings')
    expect(spawnSync('escrow', ['init', '--yes'], { cwd, env: { ...process.env, ...env } }).status).toBe(0)
    const enter = type('escrow init --claude', cwd)
    await enter.waitFor('Write this?')
    enter.key('C-c')
    expect(await enter.waitForExit()).toBe(1)
    expect(fs.readdirSync(cwd)).toEqual(['.orchestration'])
  })
})

describe('long output', () => {
  const lines = Array.from({ length: 200 }, (_, index) => `line ${index}\n`).join('')
  const cwd = () => at('long')
  beforeAll(async () => {
    const options = { cwd: cwd(), env: { ...process.env, ...env } }
    expect(spawnSync('escrow', ['init', '--yes', '--approval-by', 'any'], options).status).toBe(0)
    expect(spawnSync('escrow', ['intents', 'add', 'All', '--scope', '**'], options).status).toBe(0)
    await stage(cwd(), { 'long.txt': lines, 'short.txt': 'short\n' })
  })

  it('goes through the chosen pager', async () => {
    const paged = type('escrow diff agent-1', cwd(), { env: { ...env, PAGER: 'sed s/line/paged/' } })
    expect(await paged.waitForExit()).toBe(0)
    expect(paged.screen()).toContain('paged 199')
  })

  it('is printed without a pager on request, and if the pager is missing', async () => {
    for (const [command, pager] of [
      ['escrow --no-pager diff agent-1', 'false'],
      ['escrow diff agent-1', 'no-such-pager'],
    ] as const) {
      const plain = type(command, cwd(), { env: { ...env, PAGER: pager } })
      expect(await plain.waitForExit()).toBe(0)
      expect(plain.screen()).toContain('+line 199')
    }
  })

  it('is coloured at a terminal, and neither coloured nor paged in a pipe', async () => {
    const colored = type('escrow --no-pager diff agent-1', cwd(), { env: { ...env, NO_COLOR: '' } })
    await colored.waitForExit()
    expect(colored.screen({ colors: true })).toContain('\u001b[32m')
    const none = type('escrow --no-pager diff agent-1', cwd(), { env: { ...env, NO_COLOR: '1' } })
    await none.waitForExit()
    expect(none.screen({ colors: true })).not.toContain('\u001b[32m')
    const piped = type('escrow diff agent-1 | cat', cwd(), { env: { ...env, PAGER: 'false' } })
    await piped.waitForExit()
    expect(piped.screen({ colors: true })).not.toContain('\u001b[32m')
    expect(piped.screen()).toContain('+line 199')
  })

  it('ends quietly when its reader closes the pipe', async () => {
    const child = spawn('bash', ['-c', 'set -o pipefail; escrow diff agent-1 | head -n 1'], {
      ...{ cwd: cwd(), env: { ...process.env, ...env } },
    })
    let output = ''
    child.stderr.on('data', (data: Buffer) => {
      output += data.toString()
    })
    const [code] = (await once(child, 'close')) as [number]
    expect([code, output]).toEqual([0, ''])
  })
})

it('a command runs to its end after its terminal was closed', async () => {
  const cwd = at('gone')
  const script = `trap '' HUP; echo ready; until test -e go; do sleep 0.05; done; escrow init --yes; echo $? > code; mv code done`
  const terminal = type(script, cwd)
  await terminal.waitFor('ready')
  terminal.close()
  fs.writeFileSync(`${cwd}/go`, '')
  await expect.poll(() => fs.existsSync(`${cwd}/done`), { timeout: 20_000 }).toBe(true)
  expect(fs.readFileSync(`${cwd}/done`, 'utf8')).toBe('0\n')
  expect(fs.existsSync(`${cwd}/.orchestration/policy.yaml`)).toBe(true)
})

describe('without a terminal', () => {
  it.each(['escrow init < /dev/null', 'setsid escrow init < /dev/null', 'escrow init <&-'])(
    '%s asks nothing',
    (command) => {
      const cwd = fs.mkdtempSync(`${home}/none-`)
      const { status, stderr } = spawnSync('bash', ['-c', command], {
        ...{ cwd, env: { ...process.env, ...env }, encoding: 'utf8' as const },
      })
      expect([status, stderr]).toEqual([0, ''])
      expect(fs.readdirSync(cwd)).toEqual(['.orchestration'])
    },
  )
})

it('help and figures fit into 60 columns, also after a resize', async () => {
  const cwd = at('narrow')
  spawnSync('escrow', ['init', '--yes'], { cwd, env: { ...process.env, ...env } })
  const narrow = type('escrow --help; escrow stats; sleep 100', cwd, { columns: 60, rows: 80 })
  await narrow.waitFor('rework')
  narrow.resize(40, 80)
  await narrow.waitFor('rework')
  for (const line of narrow.screen().split('\n')) expect(line.length).toBeLessThanOrEqual(60)
})

it.each([
  ['escrow discrad', "Did you mean 'discard'?"],
  ['escrow log --intnt x', "Did you mean '--intent'?"],
  ['escrow intents lst', "Did you mean 'list'?"],
])('%s gets a suggestion', async (command, suggestion) => {
  const wrong = type(command, at('wrong'))
  expect(await wrong.waitForExit()).toBe(2)
  expect(wrong.screen()).toContain(suggestion)
})
