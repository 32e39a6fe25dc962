import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { stateDir, withStateHome } from '../../src/os/state-dir.js'
import { forgetAttempt, recallAttempt, rememberAttempt } from '../../src/terminal/remembered-attempts.js'
import { tempDir } from '../support/facade.js'

const WORKS = { works: true } as const
const FAILED = { works: false, failure: { what: 'overlay', problem: 'not permitted', fix: 'allow it' } } as const

function inState(work: (file: () => string) => void): Promise<void> {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  return withStateHome(path, async () => work(() => `${stateDir()}/containment.json`))
}

it('remembers what worked and what did not, until it is forgotten', () =>
  inState((file) => {
    expect(recallAttempt('namespace-overlay')).toBeUndefined()
    rememberAttempt('namespace-overlay', WORKS)
    rememberAttempt('namespace-copy', FAILED)
    expect([recallAttempt('namespace-overlay'), recallAttempt('namespace-copy')]).toEqual([WORKS, FAILED])
    forgetAttempt('namespace-overlay')
    expect([recallAttempt('namespace-overlay'), recallAttempt('namespace-copy')]).toEqual([undefined, FAILED])
    expect(existsSync(file())).toBe(true)
  }))

it('looks each time for what can be installed', () =>
  inState(() => {
    rememberAttempt('landlock-copy', WORKS)
    const { failure } = FAILED
    rememberAttempt('landlock-copy', { works: false, failure: { ...failure, isInstall: true } })
    expect(recallAttempt('landlock-copy')).toBeUndefined()
  }))

it.each([
  ['another boot', (text: string) => text.replace(/"key":"./, '"key":"x')],
  ['a damaged record', (text: string) => text.slice(0, -3)],
  ['another version', (text: string) => text.replace('"version":1', '"version":2')],
  ['an attempt of another shape', (text: string) => text.replace('"works":true', '"works":"yes"')],
])('ignores a record of %s', (_, change) =>
  inState((file) => {
    rememberAttempt('namespace-overlay', WORKS)
    const text = readFileSync(file(), 'utf8')
    expect(change(text)).not.toBe(text)
    writeFileSync(file(), change(text))
    expect(recallAttempt('namespace-overlay')).toBeUndefined()
  }),
)

it('is a file of its owner alone', () =>
  inState((file) => {
    rememberAttempt('namespace-overlay', WORKS)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  }))
