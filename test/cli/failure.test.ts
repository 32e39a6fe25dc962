import { mkdirSync, writeFileSync } from 'node:fs'
import picocolors from 'picocolors'
import { expect, it } from 'vitest'
import { joinSentences, reportError } from '../../src/cli/failure.js'
import { ERRNO_ADVICE } from '../../src/core/errno-advice.js'
import { initRepository } from '../support/git.js'
import { startSession, testWorkspace } from '../support/workspace.js'
import { escrowAt } from './real.js'

it("prints a refusing hook's output below the error, line by line and without control characters", async () => {
  const project = testWorkspace()
  initRepository(project.root)
  mkdirSync(`${project.root}/.git/hooks`, { recursive: true })
  const hook = '#!/bin/sh\nprintf "one\\n\\033[2Jtwo\\n1 problem\\n"\nexit 1\n'
  writeFileSync(`${project.root}/.git/hooks/pre-commit`, hook, { mode: 0o755 })
  const session = await startSession(await project.open())
  session.fs.writeFileSync('src/a.ts', 'changed\n')
  await session.close()
  expect((await escrowAt(project.root, ['approve', session.id])).code).toBe(0)
  const { code, err } = await escrowAt(project.root, ['commit', session.id, '--hooks'])
  expect(code).toBe(1)
  expect(err).toContain(
    'escrow: The pre-commit hook refused the commit, so nothing was committed: 1 problem (unsupported)\n',
  )
  expect(err).toContain('  one\n  ^[[2Jtwo\n  1 problem\nLet the agent correct it, or commit without --hooks.\n')
})

/** An io that records what is printed to stderr. */
function recordedErrors() {
  const lines: string[] = []
  const io = {
    out: expect.fail,
    err: (text: string) => void lines.push(text),
    cwd: '/',
    terminal: false,
    color: false,
    version: '1',
  }
  return { lines, io }
}

it('prints the message of a refused path once', () => {
  const { lines, io } = recordedErrors()
  const refused = [
    { path: 'a', message: 'a was changed on disk.' },
    { path: 'b', message: 'b is a directory' },
  ]
  const error = Object.assign(new Error('a was changed on disk. Nothing was recorded.'), { refused })
  expect(reportError(error, io, picocolors.createColors(false))).toBe(1)
  expect(lines).toEqual(['escrow: a was changed on disk. Nothing was recorded.\n', '  b is a directory\n'])
})

it.each([
  ['ENOSPC', 'The disk is full. Free space on it, then try again.\n'],
  ['EROFS', `${ERRNO_ADVICE.EROFS}\n`],
  ['EMFILE', "Too many files are open. Raise the limit with 'ulimit -n', then try again.\n"],
])('says what to do about a system error without a hint: %s', (code, advice) => {
  const { lines, io } = recordedErrors()
  reportError(Object.assign(new Error(`${code}: mkdir '/state/locks'`), { code }), io, picocolors.createColors(false))
  expect(lines).toEqual([`escrow: ${code}: mkdir '/state/locks'\n`, advice])
})

it('names the session that was typed in the commands of a hint', async () => {
  const project = testWorkspace()
  const session = await startSession(await project.open())
  session.fs.writeFileSync('src/a.ts', 'changed\n')
  await session.close()
  expect((await escrowAt(project.root, ['approve', session.id])).code).toBe(0)
  writeFileSync(`${project.root}/src/a.ts`, 'other\n')
  const { err } = await escrowAt(project.root, ['commit', session.id])
  expect(err).toContain('\n  src/a.ts changed on disk after the agent read it.\n')
  expect(err).toContain(`'escrow commit ${session.id} --merge'`)
  expect(err).not.toContain('SESSION')
})

it('ends each sentence before the next one', () => {
  expect(joinSentences("ENOSPC: no space left on device, write '/state/log'", 'The disk is full.')).toBe(
    "ENOSPC: no space left on device, write '/state/log'. The disk is full.",
  )
  expect(joinSentences('It is not approved.', '', "Run 'escrow approve'")).toBe(
    "It is not approved. Run 'escrow approve'",
  )
  expect(joinSentences('EIO: i/o error', '')).toBe('EIO: i/o error')
})
