import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { actionOf, KEYS, keyName } from '../../../src/cli/review/keys.js'
import { keysOf } from '../../../src/surface/index.js'

describe('keys', () => {
  const documentedKeys = (name: string) => {
    const text = readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8')
    const [, table = ''] = /^\| key .*\n\| -+ .*\n((?:\|.*\n)+)/m.exec(text) ?? []
    return [...table.matchAll(/^\| (`.*?) +\| (.*?) +\|$/gm)].map(([, keys, does]) => [keys, does])
  }
  const rowsOf = (all: readonly Pick<(typeof KEYS.terminal)[number], 'keys' | 'does'>[]) =>
    all.map(({ keys, does }) => [keys.map((key) => `\`${key}\``).join(', '), does])

  it('match docs/review.md, and those of the page alone docs/serve.md', () => {
    expect(documentedKeys('review.md')).toEqual(rowsOf(KEYS.terminal))
    const own = keysOf('page').filter(({ on }) => on.length === 1)
    expect(own.length).toBeGreaterThan(0)
    expect(documentedKeys('serve.md')).toEqual(rowsOf(own))
  })

  it.each(['terminal', 'hub'] as const)('have one meaning each: %s', (surface) => {
    const all = KEYS[surface].flatMap(({ keys }) => keys)
    expect(new Set(all).size).toBe(all.length)
    for (const { keys, action } of KEYS[surface]) for (const key of keys) expect(actionOf(key, surface)).toBe(action)
  })

  it('of a hub are those of actions that a hub has', () => {
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
