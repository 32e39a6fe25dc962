import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { parsedOnce } from '../../src/os/parsed-texts.js'
import { tempDir } from '../support/facade.js'

const BUILD = 'a build'
let home: { path: string; dispose(): void }

beforeEach(() => {
  home = tempDir()
  vi.stubEnv('XDG_STATE_HOME', home.path)
  vi.stubEnv('ESCROW_SESSION', undefined)
})

afterEach(() => {
  vi.unstubAllEnvs()
  home.dispose()
})

const cacheDir = () => `${home.path}/escrowfs/parsed`
const fileOf = (name = readdirSync(cacheDir())[0]) => `${cacheDir()}/${name}`

/** Parses a text as one word, and returns whether the parser ran. */
function read(text: string, { kind = 'word', build = BUILD } = {}) {
  let parsed = false
  const result = parsedOnce(
    kind,
    Buffer.from(text),
    () => {
      parsed = true
      return text.includes(' ') ? { ok: false, problem: 'two words' } : { ok: true, value: { word: text } }
    },
    build,
  )
  return { parsed, result }
}

describe('a parsed text', () => {
  it('is kept for later commands of the same build', () => {
    expect(read('one')).toEqual({ parsed: true, result: { ok: true, value: { word: 'one' } } })
    expect(read('one')).toEqual({ parsed: false, result: { ok: true, value: { word: 'one' } } })
  })

  it('is parsed again after any change of the text, the parser or the build', () => {
    read('one')
    expect(read('two').parsed).toBe(true)
    expect(read('one', { kind: 'other' }).parsed).toBe(true)
    expect(read('one', { build: 'another build' }).parsed).toBe(true)
  })

  it('is not kept if it has a problem', () => {
    expect(read('two words').result).toEqual({ ok: false, problem: 'two words' })
    expect(read('two words').parsed).toBe(true)
    expect(existsSync(cacheDir())).toBe(false)
  })

  it('is neither kept nor read by the library, which has no build', () => {
    read('one')
    const parsed = { ok: true as const, value: { word: 'parsed' } }
    for (const text of ['one', 'two']) expect(parsedOnce('word', Buffer.from(text), () => parsed)).toBe(parsed)
    expect(readdirSync(cacheDir())).toHaveLength(1)
  })

  it('is neither kept nor read in a session, whose state directory the agent can write', () => {
    read('one')
    vi.stubEnv('ESCROW_SESSION', 's')
    expect(read('one').parsed).toBe(true)
    read('two')
    expect(readdirSync(cacheDir())).toHaveLength(1)
  })

  it('is not read from a directory that others can write, or behind a link', () => {
    read('one')
    chmodSync(cacheDir(), 0o770)
    expect(read('one').parsed).toBe(true)
    chmodSync(cacheDir(), 0o700)
    expect(read('one').parsed).toBe(false)
    renameSync(cacheDir(), `${home.path}/elsewhere`)
    symlinkSync(`${home.path}/elsewhere`, cacheDir())
    expect(read('one').parsed).toBe(true)
  })

  it('is not read through a link', () => {
    read('one')
    renameSync(fileOf(), `${home.path}/elsewhere`)
    symlinkSync(`${home.path}/elsewhere`, `${cacheDir()}/link`)
    renameSync(`${cacheDir()}/link`, fileOf())
    expect(read('one').parsed).toBe(true)
  })

  it.each(['', '{', 'null', '7', '{}', '{"name":"another","value":{}}'])(
    'is parsed again if the kept file is damaged: %j',
    (damage) => {
      read('one')
      writeFileSync(fileOf(), damage)
      expect(read('one').result).toEqual({ ok: true, value: { word: 'one' } })
    },
  )

  it('is parsed if the state directory is in a workspace, or cannot be written', () => {
    mkdirSync(`${home.path}/.orchestration`)
    expect(read('one').parsed).toBe(true)
    expect(existsSync(cacheDir())).toBe(false)
    vi.stubEnv('XDG_STATE_HOME', '/dev/null')
    expect(read('one').parsed).toBe(true)
  })

  it('is removed once many others were kept', () => {
    for (let n = 0; n < 64; n++) {
      read(`word${n}`)
      for (const name of readdirSync(cacheDir())) if (n === 0) utimesSync(fileOf(name), 1, 1)
    }
    read('last')
    expect(readdirSync(cacheDir())).toHaveLength(33)
    expect(read('word0').parsed).toBe(true)
    expect(read('last').parsed).toBe(false)
  })
})
