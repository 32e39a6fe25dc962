import { expect, it } from 'vitest'
import { SessionLimits } from '../../src/session/limits.js'

const access = (path: string) => ({ effect: 'put' as const, path, asked: path })

it('counts only the writes of the last minute', () => {
  let now = 0
  const limits = new SessionLimits(
    { paths: () => new Set(), newDirectories: () => 0, bytes: () => 0, sizeAt: () => 0 },
    () => now,
  )
  const take = () => limits.countWrite(access('a'), { opsPerMinute: 2 })?.reason
  expect([take(), take(), take()]).toEqual([undefined, undefined, 'limit_exceeded'])
  now = 30_000
  expect(take()).toBe('limit_exceeded')
  now = 60_000
  expect([take(), take(), take()]).toEqual([undefined, undefined, 'limit_exceeded'])
})

it('does not count a path that is already staged', () => {
  const limits = new SessionLimits({
    paths: () => new Set(['a', 'b']),
    newDirectories: () => 0,
    bytes: () => 0,
    sizeAt: () => 0,
  })
  expect(limits.countWrite(access('a'), { files: 2 })).toBeUndefined()
  expect(limits.countWrite(access('c'), { files: 2 })).toMatchObject({ reason: 'limit_exceeded' })
  expect(limits.countWrite(access('c'), {})).toBeUndefined()
})

it('measures the staged bytes only when the upper bound reaches the limit', () => {
  let staged = 40
  let counted = 0
  const bytes = () => {
    counted++
    return staged
  }
  const limits = new SessionLimits({ paths: () => new Set(), newDirectories: () => 0, bytes, sizeAt: () => 0 })
  const grow = (by: number, limit: number | undefined = 100) => limits.addBytes('a', by, limit)?.reason
  expect([grow(30), grow(30), counted]).toEqual([undefined, undefined, 1])
  expect([grow(1), counted]).toEqual([undefined, 2])
  staged = 100
  expect([grow(60), grow(1), grow(0), limits.addBytes('a', 1, undefined)]).toEqual([
    'limit_exceeded',
    'limit_exceeded',
    undefined,
    undefined,
  ])
  staged = 10
  expect([grow(90), grow(1)]).toEqual([undefined, undefined])
})

it('counts no new directory, and the paths only when the upper bound reaches the limit', () => {
  const staged = new Set(['dir'])
  let counted = 0
  const newDirectories = () => {
    counted++
    return 1
  }
  const limits = new SessionLimits({ paths: () => staged, newDirectories, bytes: () => 0, sizeAt: () => 0 })
  const write = (path: string, effect: 'put' | 'mkdir' = 'put') => {
    const denial = limits.countWrite({ effect, path, asked: path }, { files: 2 })
    if (denial === undefined) staged.add(path)
    return denial?.message
  }
  expect([write('dir/a'), write('dir/b'), counted]).toEqual([undefined, undefined, 1])
  expect(write('dir/c')).toBe(
    'Limit Exceeded: 2 paths are staged, without new directories; limits.files in policy.yaml allows 2.',
  )
  expect([write('more', 'mkdir'), counted]).toEqual([undefined, 2])
})

it('counts the paths that one call staged together', () => {
  const staged = new Set<string>()
  const limits = new SessionLimits({ paths: () => staged, newDirectories: () => 0, bytes: () => 0, sizeAt: () => 0 })
  const write = (path: string) => limits.countWrite(access(path), { files: 5 })?.reason
  expect(write('moved')).toBeUndefined()
  for (const name of ['moved', 'moved/1', 'moved/2', 'moved/3', 'moved/4']) staged.add(name)
  expect(write('next')).toBe('limit_exceeded')
  staged.delete('moved/4')
  expect(write('next')).toBeUndefined()
})
