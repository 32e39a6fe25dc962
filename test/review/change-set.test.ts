import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { StagedChange } from '../../overlay/change.js'
import { EMPTY_DIGEST } from '../../overlay/digest.js'
import type { RelPath } from '../../overlay/path.js'
import { amendmentState } from '../../src/review/amend.js'
import { BaseDiffs } from '../../src/review/base-diffs.js'
import { changeSetDigest, toChangeSet } from '../../src/review/change-set.js'
import { createDiffMemory } from '../../src/review/diff-memory.js'
import { verdictState } from '../../src/review/verdicts.js'
import { file, newStagedChange } from './staged.js'

const disk = (contents: Record<string, string>) => (change: StagedChange) => {
  const content = contents[change.from ?? change.path]
  return content === undefined ? null : Buffer.from(content)
}
const show = (changes: StagedChange[], contents: Record<string, string> = {}) =>
  toChangeSet(changes, {
    diffs: new BaseDiffs({ before: disk(contents) }),
    verdicts: verdictState([]),
    amendments: amendmentState([]),
    flags: () => [],
  })

describe('toChangeSet', () => {
  it('lists deletions first, then by path', () => {
    const changes = [
      newStagedChange('b', null, 'x'),
      newStagedChange('z', 'x', null),
      newStagedChange('B', null, 'x'),
      newStagedChange('a', 'x', null),
    ]
    expect(show(changes, { a: 'x', z: 'x' }).changes.map(({ path }) => path)).toEqual(['a', 'z', 'B', 'b'])
  })

  it('has digests, modes, intent and the policy flags, and the hunks against the disk', () => {
    const change = newStagedChange('a', 'old\n', 'new\n', { intentId: 'INT-001', after: file('new\n', 0o755) })
    const flags = (of: StagedChange) => (of.path === 'a' ? ['protected'] : [])
    const set = toChangeSet([change], {
      diffs: new BaseDiffs({ before: disk({ a: 'old\n' }) }),
      verdicts: verdictState([]),
      amendments: amendmentState([]),
      flags,
    })
    expect(set.changes).toEqual([
      {
        path: 'a',
        kind: 'modify',
        before: file('old\n').digest,
        after: file('new\n').digest,
        mode: { before: 0o644, after: 0o755 },
        hunks: [expect.objectContaining({ text: '@@ -1,1 +1,1 @@\n-old\n+new\n' })],
        state: 'pending',
        flags: ['executable', 'protected'],
        intentId: 'INT-001',
      },
    ])
  })

  it('reads a base for a comparison that is not cached, and if the disk may have another', () => {
    const memory = createDiffMemory()
    const read: string[] = []
    let isUnchanged = () => true
    const recordLook = (...changes: StagedChange[]) => {
      memory.startView()
      const before = (change: StagedChange) => {
        read.push(change.path)
        return Buffer.from('old\n')
      }
      const views = {
        diffs: new BaseDiffs({ before, isUnchanged: () => isUnchanged() }, undefined, memory),
        verdicts: verdictState([]),
        amendments: amendmentState([]),
        flags: () => [],
      }
      return toChangeSet(changes, views).changes.map(({ hunks, flags }) => [hunks[0]?.text.split('\n')[2], flags])
    }
    const change = newStagedChange('a', 'old\n', 'new\n')
    expect([recordLook(change), recordLook(change), read.splice(0)]).toEqual([[['+new', []]], [['+new', []]], ['a']])
    expect([recordLook(newStagedChange('a', 'old\n', 'newer\n')), read.splice(0)]).toEqual([[['+newer', []]], ['a']])
    expect(recordLook(newStagedChange('a', 'other\n', 'newer\n'))).toEqual([['+newer', ['drifted']]])
    expect([recordLook({ ...change, drifted: true }), read.splice(0)]).toEqual([[['+new', ['drifted']]], ['a', 'a']])
    expect([recordLook(change), read.splice(0)]).toEqual([[['+new', []]], []])
    isUnchanged = () => false
    expect([recordLook(change), read.splice(0)]).toEqual([[['+new', []]], ['a']])
  })

  it('omits an unchanged mode', () => {
    expect(show([newStagedChange('a', 'x', 'y')], { a: 'x' }).changes[0]).not.toHaveProperty('mode')
    expect(show([newStagedChange('a', null, 'y')]).changes[0]?.mode).toEqual({ before: null, after: 0o644 })
    expect(show([newStagedChange('a', 'x', null)], { a: 'x' }).changes[0]?.mode).toEqual({ before: 0o644, after: null })
  })

  it('compares a moved file with its old path', () => {
    const change = newStagedChange('new', 'a\nb\n', 'a\nc\n', { kind: 'rename', from: 'old' as RelPath })
    const [moved] = show([change], { old: 'a\nb\n' }).changes
    expect(moved).toMatchObject({ path: 'new', from: 'old', kind: 'rename', flags: [] })
    expect(moved?.hunks[0]?.text).toContain('-b\n+c\n')
  })

  it('has no hunks for a directory, and flags links, binaries and changes of type', () => {
    const dir = { type: 'dir', digest: EMPTY_DIGEST, mode: 0o755 } as const
    const link = { ...file('target'), type: 'symlink', mode: 0o777 } as const
    const binary = { content: () => Buffer.from([0]) }
    const set = show([
      newStagedChange('d', null, '', { kind: 'mkdir', after: dir }),
      newStagedChange('l', null, 'target', { after: link }),
      newStagedChange('t', 'x', 'target', { after: link }),
      newStagedChange('x', null, 'y', binary),
    ])
    expect(set.changes.map(({ path, flags, hunks }) => [path, flags, hunks.length])).toEqual([
      ['d', [], 0],
      ['l', ['symlink'], 1],
      ['t', ['drifted', 'symlink', 'type-changed'], 0],
      ['x', ['binary'], 0],
    ])
  })

  it('flags a change as drifted if the disk differs, even if the stage did not notice', () => {
    const shownChange = (change: StagedChange, contents: Record<string, string>) => show([change], contents).changes[0]
    expect(shownChange(newStagedChange('a', 'x\n', 'y\n', { drifted: true }), { a: 'z\n' })?.flags).toEqual(['drifted'])
    const raced = shownChange(newStagedChange('a', 'x\n', 'y\n'), { a: 'z\n' })
    expect(raced?.flags).toEqual(['drifted'])
    expect(raced?.hunks[0]?.text).toContain('-z\n+y\n')
    expect(shownChange(newStagedChange('a', 'x\n', 'y\n'), {})).toMatchObject({ flags: ['drifted'], hunks: [] })
  })
})

describe('the digest of a change set', () => {
  it('does not depend on the order', () => {
    const changes = ['a', 'b', 'c', 'd'].map((path) =>
      newStagedChange(path, path === 'b' ? 'x' : null, path === 'b' ? null : 'x'),
    )
    const digest = changeSetDigest(changes)
    const orders = fc.shuffledSubarray(changes, { minLength: 4 })
    fc.assert(fc.property(orders, (order) => changeSetDigest(order) === digest))
  })

  it('differs by paths, kinds, both sides, modes, types and old names', () => {
    const base = newStagedChange('a', 'x', 'y')
    const variants: StagedChange[] = [
      base,
      newStagedChange('b', 'x', 'y'),
      newStagedChange('a', 'z', 'y'),
      newStagedChange('a', 'x', 'z'),
      newStagedChange('a', null, 'y'),
      { ...base, kind: 'link' },
      { ...base, after: file('y', 0o755) },
      { ...base, before: file('x', 0o600) },
      { ...base, after: { ...file('y'), type: 'symlink' } },
      { ...base, from: 'c' as RelPath },
    ]
    expect(new Set(variants.map((variant) => changeSetDigest([variant]))).size).toBe(variants.length)
    expect(changeSetDigest([])).not.toBe(changeSetDigest([base]))
  })
})
