import { mkdirSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { RelPath } from '../../overlay/index.js'
import { maskFor } from '../../src/acceptance/mask.js'
import { scratchStage } from '../../src/acceptance/scratch-stage.js'
import { tempDir } from '../support/facade.js'

function maskText(text: string, files: Readonly<Record<string, string>> = {}, env: NodeJS.ProcessEnv = {}) {
  const { path, dispose } = tempDir()
  try {
    mkdirSync(`${path}/.ssh`)
    for (const [name, content] of Object.entries(files)) writeFileSync(`${path}/${name}`, content)
    const secret = Object.keys(files).map((name) => name.split('/')[0] as RelPath)
    return maskFor(scratchStage(path, []), secret, env)(text)
  } finally {
    dispose()
  }
}

describe('maskFor', () => {
  it('masks values of secret files, quoted or not, and whole lines', () => {
    const files = { '.env': 'A="one two three"\nexport B=long-value-9\nshort=abc\n# x\n', '.ssh/id': 'line-of-a-key\n' }
    expect(maskText('one two three, long-value-9, abc, line-of-a-key', files)).toBe('•••, •••, abc, •••')
  })

  it('masks the longer of two values of which one contains the other', () => {
    expect(maskText('12345678abc 12345678', { '.env': 'A=12345678\nB=12345678abc\n' })).toBe('••• •••')
  })

  it('masks values of variables that commands do not get', () => {
    expect(maskText('s3cr3t-value and plain-value', {}, { API_TOKEN: 's3cr3t-value', NAME: 'plain-value' })).toBe(
      '••• and plain-value',
    )
  })

  it.each([
    ['https://user:pass-word@example.com/x', 'https://user:•••@example.com/x'],
    ['token ghp_abcdefghijklmnop1234, end', 'token •••, end'],
    ['AKIAABCDEFGHIJKLMNOP', '•••'],
    ['eyJhbGciOiJ.eyJzdWIiOiIx.c2ln x', '••• x'],
    ['-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----\nend', '•••\nend'],
  ])('masks what looks like a secret: %j', (text, expected) => {
    expect(maskText(text)).toBe(expected)
  })

  it('leaves other text as it is', () => {
    const text = 'https://example.com:8080/a@b skill-of-an-ordinary-task 12 passing\n'
    expect(maskText(text)).toBe(text)
  })
})
