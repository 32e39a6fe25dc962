import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { actionOf, KEYS, keyName } from '../../../src/cli/review/keys.js'

describe('keys', () => {
  it('match docs/review.md', () => {
    const text = readFileSync(new URL('../../../docs/review.md', import.meta.url), 'utf8')
    const rows = [...text.matchAll(/^\| (`.*?) +\| (.*?) +\|$/gm)].map(([, keys, does]) => [keys, does])
    expect(rows).toEqual(KEYS.terminal.map(({ keys, does }) => [keys.map((key) => `\`${key}\``).join(', '), does]))
  })

  it.each(['terminal', 'hub'] as const)('have one meaning each: %s', (surface) => {
    const all = KEYS[surface].flatMap(({ keys }) => keys)
    expect(new Set(all).size).toBe(all.length)
    for (const { keys, action } of KEYS[surface]) for (const key of keys) expect(actionOf(key, surface)).toBe(action)
  })

  it('of a hub are those that a hub can do', () => {
    const refused = ['c', 'e', 'x', 's', 'u', 'C', 'T', 'o', 't', 'r', 'v', 'f']
    expect(refused.map((key) => actionOf(key, 'hub'))).toEqual(refused.map(() => undefined))
    expect(KEYS.hub.map(({ does }) => does).join(' ')).not.toContain('question')
    expect(actionOf('i')).toBeUndefined()
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
