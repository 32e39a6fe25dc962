import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { library } from '../../src/cli/library.js'
import { run } from '../../src/cli/run.js'
import { openWorkspace } from '../../src/index.js'
import { openShell, readersHome } from '../docs/reader.js'
import { stateOf } from '../support/state.js'

let home = ''
let shell: ReturnType<typeof openShell>
beforeAll(async () => {
  home = readersHome()
  shell = openShell(home, { HOME: home })
  expect(
    shell("mkdir -p shop/src && cd shop && escrow init --approval-by any && escrow intents add All --scope '**'")
      .status,
  ).toBe(0)
  const workspace = await openWorkspace(`${home}/shop`)
  const session = await workspace.session({ id: 'agent-1', agent: { model: 'some-model' } })
  await session.selectIntent('INT-001')
  session.fs.writeFileSync('src/a', 'one\n')
  await session.snapshot('half way')
  session.fs.writeFileSync('src/b', 'two\n')
  await workspace.close()
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

it('are listed for people, scripts and completion', () => {
  expect(shell('escrow sessions').stdout).toBe('agent-1  at rest  2 staged  some-model\n')
  expect(shell('escrow sessions --names').stdout).toBe('agent-1\n')
  expect(JSON.parse(shell('escrow sessions --json').stdout)).toMatchObject([{ id: 'agent-1', live: false, changes: 2 }])
})

it('run a contained command on their staged files', () => {
  const result = shell(
    "escrow exec agent-1 --intent INT-001 -- sh -c 'cat src/a; echo three > src/c; rm src/b; exit 5'",
  )
  expect([result.status, result.stdout]).toEqual([5, 'one\n'])
  expect(result.stderr).toContain("staged. See the changes with 'escrow diff agent-1'")
  expect(fs.readdirSync(`${home}/shop/src`)).toEqual([])
  const { stdout } = shell('escrow exec agent-1 --json -- cat src/c')
  expect(JSON.parse(stdout)).toMatchObject({ session: 'agent-1', exitCode: 0, stdout: 'three\n', refused: [] })
})

it('show how to run a shell command', () => {
  const line = shell("escrow exec agent-1 'ls src | head -3'")
  expect([line.status, line.stderr]).toEqual([
    127,
    expect.stringContaining("escrow exec agent-1 -- sh -c 'ls src | head -3'\n"),
  ])
  expect(shell('escrow exec agent-1 -- nothing-here').stderr).not.toContain('as a shell command')
})

it('print the output of commands to a terminal without control sequences', async () => {
  const argv = ['exec', 'agent-1', '--', 'sh', '-c', "printf 'ok\\t\\033]52;c;eA==\\007\\n'; printf '\\033[2J' >&2"]
  const runOnTerminal = async (more: { columns?: number }) => {
    const output = { out: '', err: '' }
    const io = {
      out: (text: string) => {
        output.out += text
      },
      err: (text: string) => {
        output.err += text
      },
      ...{ cwd: `${home}/shop`, terminal: true, color: false, version: '1', ...more },
    }
    await run(argv, io, async () => library)
    return output
  }
  expect(await runOnTerminal({ columns: 80 })).toMatchObject({
    out: 'ok\t^[]52;c;eA==^G\n',
    err: expect.stringMatching(/^\^\[\[2J/),
  })
  expect((await runOnTerminal({})).out).toBe('ok\t\u001b]52;c;eA==\u0007\n')
})

it('return to a snapshot and back again', () => {
  const { snapshots } = JSON.parse(shell('escrow snapshots agent-1 --json').stdout) as {
    snapshots: { id: string; name?: string }[]
  }
  const id = snapshots.find(({ name }) => name === 'half way')?.id
  const back = shell(`escrow travel agent-1 ${id}`)
  expect(back.stdout).toMatch(
    new RegExp(`^Session 'agent-1' is at snapshot ${id}: 1 change staged\\.\nReturn with 'escrow travel`),
  )
  const forth = /'(escrow travel [^']*)'/.exec(back.stdout)?.[1]
  expect(shell(`${forth} --json`).stdout).toContain('"staged": 2')
})

it('are not created by a mistyped id, which is reported', () => {
  for (const command of ['travel agnet-1 x', 'exec agnet-1 -- true', 'diff agnet-1', 'approve agnet-1']) {
    const { status, stderr } = shell(`escrow ${command}`)
    expect([status, stderr]).toEqual([1, expect.stringContaining("Did you mean 'agent-1'?")])
  }
  expect(fs.readdirSync(`${stateOf(`${home}/shop`)}/sessions`)).toEqual(['agent-1'])
})

it('are not created for a mistyped intent, which is reported', () => {
  for (const command of [
    'run --intent INT-01 -- true',
    'exec agent-1 --intent INT-01 -- true',
    'acp --intent INT-01 -- true',
  ]) {
    const { status, stderr } = shell(`escrow ${command}`)
    expect([command, status, stderr]).toEqual([command, 1, expect.stringContaining("Did you mean 'INT-001'?")])
  }
  expect(shell('escrow mcp --intent INT-01 < /dev/null')).toMatchObject({
    ...{ status: 1, stderr: expect.stringContaining("Did you mean 'INT-001'?") },
  })
  expect(fs.readdirSync(`${stateOf(`${home}/shop`)}/sessions`)).toEqual(['agent-1'])
})

it('cannot be started or named by an agent within its session', () => {
  for (const command of [
    'exec agent-1 -- touch src/d',
    'run --session agent-1 -- touch src/d',
    'acp -- x',
    'mcp < /dev/null',
  ]) {
    const { status, stderr } = shell(`ESCROW_SESSION=own escrow ${command}`)
    expect([command, status]).toEqual([command, 1])
    expect(stderr).toContain(
      'This command already runs inside session own, and an agent works in one session only. (access_denied)',
    )
    expect(stderr).toContain('Its changes here are staged')
  }
  expect(fs.readdirSync(`${stateOf(`${home}/shop`)}/sessions`)).toEqual(['agent-1'])
  expect(shell('escrow diff agent-1').stdout).not.toContain('src/d')
})

it('refuse an unknown snapshot by name', () => {
  const { status, stderr } = shell('escrow travel agent-1 nothing')
  expect([status, stderr]).toEqual([1, expect.stringContaining('nothing')])
})

describe('sessions without anything in them', () => {
  const names = () =>
    shell('escrow sessions --names')
      .stdout.split('\n')
      .filter((name) => name !== '')

  it('are not left behind by a run without a name', () => {
    const before = names()
    const unnamed = shell('escrow run -- true')
    expect([unnamed.status, unnamed.stderr]).toEqual([0, expect.stringMatching(/\nNothing changed\.\n$/)])
    expect(names()).toEqual(before)
    expect(shell('escrow run --intent INT-001 -- sh -c "echo x > src/kept"').stderr).toContain(
      "staged in session 'run-",
    )
    expect(shell('escrow run --session named -- true').stderr).toContain("0 changes staged in session 'named'.\n")
    const added = names().filter((name) => !before.includes(name))
    expect(added).toEqual(['named', expect.stringMatching(/^run-/)])
  })

  it('are removed by --prune if they were not used for a day', () => {
    expect(shell('escrow run --session idle -- true').status).toBe(0)
    expect(shell('escrow run --session recent -- true').status).toBe(0)
    const before = names()
    const sessions = `${stateOf(`${home}/shop`)}/sessions`
    const old = new Date(Date.now() - 2 * 86_400_000)
    for (const name of before) if (name !== 'recent') fs.utimesSync(`${sessions}/${name}`, old, old)
    const pruned = shell('escrow sessions --prune')
    const empty: string[] = before.filter((name) => name === 'idle' || name === 'named')
    expect([pruned.status, pruned.stdout]).toEqual([
      0,
      `${empty.length} session${empty.length === 1 ? '' : 's'} removed.\n`,
    ])
    expect(names()).toEqual(before.filter((name) => !empty.includes(name)))
    expect(shell('escrow sessions --prune --json').status).toBe(2)
    expect(shell('escrow sessions --prune --names').status).toBe(2)
  })
})
