import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { childrenOf, sendSignal, startProgram } from '../../src/os/child.js'
import { FindShell } from '../../src/terminal/find-shell.js'

function directory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'find-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

function open(): FindShell {
  const shell = new FindShell()
  onTestFinished(() => shell.close())
  return shell
}

/** The output of find without a shell. */
function runFind(...args: string[]): Buffer {
  return spawnSync('find', args, { env: { ...process.env, LC_ALL: 'C' } }).stdout
}

/** The process that `shell` has started. */
function startShell(shell: FindShell): number {
  const before = new Set(childrenOf(process.pid))
  shell.start()
  const [pid] = childrenOf(process.pid).filter((each) => !before.has(each))
  if (pid === undefined) throw new Error('No shell was started.')
  return pid
}

const name = fc
  .array(fc.constantFrom(...'ab *?[]\\\'"`$(){};&|<>#!~=-\n\t\r é\u{1f600}\u0081\u0088'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((each) => each.join(''))

describe('a shell that runs find', () => {
  it('returns the same as find, whatever the names and patterns', async () => {
    const shell = open()
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(name, { minLength: 1, maxLength: 6 }), name, async (names, pattern) => {
        const dir = directory()
        for (const each of names) writeFileSync(join(dir, each), '')
        for (const args of [[dir], [dir, '-name', pattern], [join(dir, names[0] ?? ''), '-type', 'f']])
          expect(await shell.run([...args, '-print0'])).toEqual(runFind(...args, '-print0'))
      }),
      { numRuns: 30 },
    )
  })

  it('answers each of several concurrent requests', async () => {
    const shell = open()
    const dirs = Array.from({ length: 8 }, directory)
    dirs.forEach((dir, index) => void writeFileSync(join(dir, `${index}`), ''))
    const answers = await Promise.all(dirs.map((dir) => shell.run([dir, '-type', 'f', '-print0'])))
    expect(answers.map(String)).toEqual(dirs.map((dir, index) => `${dir}/${index}\0`))
  })

  it('gives no output if nothing matches', async () => {
    const shell = open()
    expect(await shell.run([directory(), '-name', 'absent', '-print0'])).toEqual(Buffer.alloc(0))
  })

  it('reads an answer of many pieces', async () => {
    const shell = open()
    const dir = directory()
    for (let at = 0; at < 3_000; at++) writeFileSync(join(dir, `${at}`.padStart(100, '0')), '')
    const output = await shell.run([dir, '-print0'])
    expect(output?.equals(runFind(dir, '-print0'))).toBe(true)
    expect(output?.length).toBeGreaterThan(300_000)
  })

  it('fails if find fails or warns, and continues', async () => {
    const shell = open()
    const dir = directory()
    expect(await shell.run([join(dir, 'absent'), '-print0'])).toBeUndefined()
    expect(await shell.run([dir, '-nonsense'])).toBeUndefined()
    // It warns about an option after a test, and exits with 0.
    expect(await shell.run([dir, '-warn', '-name', 'x', '-maxdepth', '1', '-print0'])).toBeUndefined()
    expect(String(await shell.run([dir, '-print0']))).toBe(`${dir}\0`)
  })

  it('fails if the shell is killed, and starts another', async () => {
    const shell = open()
    const dir = directory()
    const pid = startShell(shell)
    sendSignal(pid, 'SIGSTOP')
    const answer = shell.run([dir, '-print0'])
    sendSignal(pid, 'SIGKILL')
    expect(await answer).toBeUndefined()
    expect(String(await shell.run([dir, '-print0']))).toBe(`${dir}\0`)
  })

  it('fails if no shell can be started, and tries again', async () => {
    const failures = [
      () => {
        throw new Error('spawn ENOMEM')
      },
      () => {
        throw new Error('spawn ENOMEM')
      },
      () => startProgram('absent', [], ['pipe', 'pipe', 'ignore']),
    ]
    const shell = new FindShell(() => failures.shift()?.() ?? startProgram('sh', [], ['pipe', 'pipe', 'ignore']))
    onTestFinished(() => shell.close())
    const dir = directory()
    shell.start()
    for (const expected of [undefined, undefined, `${dir}\0`])
      expect((await shell.run([dir, '-print0']))?.toString()).toBe(expected)
  })

  it('fails if it is closed, and leaves no process', async () => {
    const shell = open()
    const pid = startShell(shell)
    sendSignal(pid, 'SIGSTOP')
    const answer = shell.run([directory(), '-print0'])
    await new Promise(setImmediate)
    shell.close()
    expect(await answer).toBeUndefined()
    await vi.waitFor(() => expect(childrenOf(process.pid)).not.toContain(pid))
  })
})
