import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { actionOf, KEYS, nameOf } from '../../../src/cli/review/keys.js'

describe('keys', () => {
  it('are in docs/review.md as they are here', () => {
    const text = readFileSync(new URL('../../../docs/review.md', import.meta.url), 'utf8')
    const rows = [...text.matchAll(/^\| (`.*?) +\| (.*?) +\|$/gm)].map(([, keys, does]) => [keys, does])
    expect(rows).toEqual(KEYS.map(({ keys, does }) => [keys.map((key) => `\`${key}\``).join(', '), does]))
  })

  it('have one meaning each', () => {
    const all = KEYS.flatMap(({ keys }) => keys)
    expect(new Set(all).size).toBe(all.length)
    for (const { keys, action } of KEYS) for (const key of keys) expect(actionOf(key)).toBe(action)
  })

  it('are named as they are typed', () => {
    expect(nameOf('y', { name: 'y', sequence: 'y' })).toBe('y')
    expect(nameOf('A', { name: 'a', shift: true, sequence: 'A' })).toBe('A')
    expect(nameOf('\x03', { name: 'c', ctrl: true })).toBe('Ctrl-C')
    expect(nameOf(' ', { name: 'space' })).toBe('Space')
    expect(nameOf(undefined, { name: 'tab', shift: true })).toBe('Shift-Tab')
    expect(nameOf(undefined, { name: 'paste-start' })).toBe('PasteStart')
    expect(nameOf('漢', { sequence: '漢' })).toBe('漢')
    expect(nameOf('y', { name: 'y', meta: true })).toBeUndefined()
    expect(nameOf('\x1b[99~', { name: 'undefined', sequence: '\x1b[99~' })).toBeUndefined()
  })
})
