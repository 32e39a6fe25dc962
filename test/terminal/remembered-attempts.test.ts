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

it('the results of attempts are stored until they are discarded', () =>
  inState((file) => {
    expect(recallAttempt('namespace-overlay')).toBeUndefined()
    rememberAttempt('namespace-overlay', WORKS)
    rememberAttempt('namespace-copy', FAILED)
    expect([recallAttempt('namespace-overlay'), recallAttempt('namespace-copy')]).toEqual([WORKS, FAILED])
    forgetAttempt('namespace-overlay')
    expect([recallAttempt('namespace-overlay'), recallAttempt('namespace-copy')]).toEqual([undefined, FAILED])
    expect(existsSync(file())).toBe(true)
  }))

it('the missing packages are looked up each time', () =>
  inState(() => {
    rememberAttempt('landlock-copy', WORKS)
    const { failure } = FAILED
    rememberAttempt('landlock-copy', { works: false, failure: { ...failure, isInstall: true } })
    expect(recallAttempt('landlock-copy')).toBeUndefined()
  }))

it('a shortage of the moment is not remembered', () =>
  inState(() => {
    const { failure } = FAILED
    rememberAttempt('namespace-overlay', FAILED)
    rememberAttempt('namespace-overlay', { works: false, failure: { ...failure, isShortage: true } })
    expect(recallAttempt('namespace-overlay')).toBeUndefined()
  }))

it.each([
  ['another boot', (text: string) => text.replace(/"key":"./, '"key":"x')],
  ['a damaged record', (text: string) => text.slice(0, -3)],
  ['another version', (text: string) => text.replace('"version":1', '"version":2')],
  ['an attempt of another shape', (text: string) => text.replace('"works":true', '"works":"yes"')],
])('a record of %s is ignored', (_, change) =>
  inState((file) => {
    rememberAttempt('namespace-overlay', WORKS)
    const text = readFileSync(file(), 'utf8')
    expect(change(text)).not.toBe(text)
    writeFileSync(file(), change(text))
    expect(recallAttempt('namespace-overlay')).toBeUndefined()
  }),
)

it('the file is readable only by its owner', () =>
  inState((file) => {
    rememberAttempt('namespace-overlay', WORKS)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
  }))
