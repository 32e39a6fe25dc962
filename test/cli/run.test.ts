import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import { EscrowError } from '../../src/core/api-error.js'
import { rootOf } from '../../src/index.js'
import { escrow, workspaceDir } from './harness.js'

const failWith = (error: Error) => ({ review: { changes: () => Promise.reject(error) } })

describe('escrow', () => {
  it('lists every command and every exit code in its help', async () => {
    const { code, out } = await escrow('/', ['--help'])
    expect(code).toBe(0)
    for (const { name, summary } of COMMANDS) expect(out).toMatch(new RegExp(`${name}.*${summary.slice(0, 20)}`))
    expect([...out.matchAll(/^(\S.*):$/gm)].map(([, heading]) => heading)).toEqual([
      ...['Options', ...new Set(COMMANDS.map(({ group }) => group)), 'Exit codes'],
    ])
    for (const exit of ['0', '1', '2', '3', '4']) expect(out).toMatch(new RegExp(`^ {2}${exit} {2}`, 'm'))
  })

  it('suggests a command if help is requested for an unknown one', async () => {
    const { code, out, err } = await escrow('/', ['help', 'dif'])
    expect([code, out]).toEqual([2, ''])
    expect(err).toBe(
      "error: unknown command 'dif'\n(Did you mean 'diff'?)\n'--help' lists the arguments and options.\n",
    )
    expect((await escrow('/', ['help'])).code).toBe(0)
  })

  it('prints help for each command in every form', async () => {
    for (const { name } of COMMANDS) {
      for (const argv of [
        [name, '--help'],
        ['help', name],
      ]) {
        const { code, out } = await escrow('/', argv)
        expect([code, out]).toEqual([0, expect.stringContaining(`Usage: escrow ${name}`)])
      }
    }
    expect((await escrow('/', ['reject', '--help'])).out).toContain('--reason')
  })

  it('prints its version', async () => {
    expect(await escrow('/', ['--version'])).toMatchObject({ code: 0, out: '1.2.3\n' })
  })

  it('exits with 2 on wrong usage, and opens nothing', async () => {
    const wrong = [
      [],
      ['nonsense'],
      ['diff', 's1', '--stat', '--name-only'],
      ['diff', 's1', '--nonsense'],
      ['reject', 's1', 'a.ts'],
      ['reject', 's1', '--reason', 'no'],
      ['discard', 's1'],
      ['reject', 's1', 'a.ts', '--reason', ' '],
      ['approve', 's1', '--by', ' '],
      ['status', '-C'],
    ]
    const cwd = workspaceDir()
    for (const argv of wrong) {
      const { code, err, calls } = await escrow(cwd, argv)
      expect([argv, code, calls]).toEqual([argv, 2, []])
      expect(err).not.toBe('')
    }
  })

  it('exits with 4 outside a workspace, with a hint', async () => {
    const bare = mkdtempSync(join(tmpdir(), 'escrow-bare-'))
    onTestFinished(() => rmSync(bare, { recursive: true }))
    const { code, err, calls } = await escrow(bare, ['status'])
    expect([code, calls]).toEqual([4, []])
    expect(err).toContain("Run 'escrow init'")
    const root = workspaceDir()
    const reason = new EscrowError('no_orchestration', 'gone')
    expect((await escrow(root, ['diff', 's1'], failWith(reason))).code).toBe(4)
  })

  it('refuses a -C that is not a directory', async () => {
    const root = workspaceDir()
    writeFileSync(join(root, 'bash.json'), '{}')
    for (const [given, message] of [
      ['bash.json', 'bash.json is not a directory.'],
      ['bash.json/deep', 'bash.json/deep is not a directory.'],
      ['/nowhere', 'There is no directory /nowhere.'],
    ] as const) {
      for (const command of ['status', 'diff', 'backtest'])
        expect(await escrow(root, ['-C', given, command])).toMatchObject({
          code: 2,
          err: `escrow: ${message}\n`,
          out: '',
        })
    }
  })

  it('finds the workspace from a subdirectory, with -C before and after the command', async () => {
    const root = workspaceDir()
    mkdirSync(join(root, 'src/deep'), { recursive: true })
    expect(rootOf(join(root, 'src/deep'))).toBe(root)
    for (const argv of [
      ['-C', root, 'status'],
      ['status', '-C', root],
      ['status', '-C', 'src'],
    ]) {
      const { calls } = await escrow(argv.includes('src') ? root : '/', argv)
      expect(calls[0]).toEqual(['open', root])
    }
  })

  it('exits with 1 on a refusal, with each path and a hint', async () => {
    const refused = [{ path: 'a.ts', reason: 'stale_file', message: 'a.ts changed on disk.' }]
    const error = new EscrowError('stale_file', 'Nothing was committed.', { hint: 'Look again.', refused })
    const fake = { review: { commit: () => Promise.reject(error) } }
    const { code, out, err, calls } = await escrow(workspaceDir(), ['commit', 's1'], fake)
    expect([code, out]).toEqual([1, ''])
    expect(err).toBe(
      'escrow: Nothing was committed. (stale_file)\n  a.ts changed on disk.\nLook again.\n  escrow commit s1 --merge\n',
    )
    expect(calls.at(-1)).toEqual(['close'])
  })

  it('exits with 1 on any other failure, without a stack trace', async () => {
    const { code, err } = await escrow(workspaceDir(), ['diff', 's1'], failWith(new Error('EIO: i/o error\u001b[2J')))
    expect([code, err]).toEqual([1, 'escrow: EIO: i/o error^[[2J\n'])
  })
})
