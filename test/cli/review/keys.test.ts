import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { actionOf, KEYS, keyName } from '../../../src/cli/review/keys.js'

describe('keys', () => {
  it('match docs/review.md', () => {
    const text = readFileSync(new URL('../../../docs/review.md', import.meta.url), 'utf8')
    const rows = [...text.matchAll(/^\| (`.*?) +\| (.*?) +\|$/gm)].map(([, keys, does]) => [keys, does])
    expect(rows).toEqual(KEYS.map(({ keys, does }) => [keys.map((key) => `\`${key}\``).join(', '), does]))
  })

  it('have one meaning each', () => {
    const all = KEYS.flatMap(({ keys }) => keys)
    expect(new Set(all).size).toBe(all.length)
    for (const { keys, action } of KEYS) for (const key of keys) expect(actionOf(key)).toBe(action)
  })

  it('have the names of the typed keys', () => {
    expect(keyName('y', { name: 'y', sequence: 'y' })).toBe('y')
    expect(keyName('A', { name: 'a', shift: true, sequence: 'A' })).toBe('A')
    expect(keyName('\x03', { name: 'c', ctrl: true })).toBe('Ctrl-C')
    expect(keyName(' ', { name: 'space' })).toBe('Space')
    expect(keyName(undefined, { name: 'tab', shift: true })).toBe('Shift-Tab')
    expect(keyName(undefined, { name: 'paste-start' })).toBe('PasteStart')
    expect(keyName('漢', { sequence: '漢' })).toBe('漢')
    expect(keyName('y', { name: 'y', meta: true })).toBeUndefined()
    expect(keyName('\x1b[99~', { name: 'undefined', sequence: '\x1b[99~' })).toBeUndefined()
  })
})
