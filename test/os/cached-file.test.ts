import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SharedFile } from '../../src/core/layout.js'
import { cachedFile, withFrozenStamps } from '../../src/os/cached-file.js'
import { tempDir } from '../support/facade.js'

function setUpFile(): {
  readonly write: (text: string) => void
  readonly now: () => string
  readonly remove: () => void
} {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  const file = `${path}/a`
  const read = cachedFile(new SharedFile(path, 'a'), 100, (found) =>
    found.kind === 'bytes' ? found.bytes.toString() : found.kind,
  )
  return { now: read, write: (text) => writeFileSync(file, text), remove: () => rmSync(file) }
}

describe('a cached file', () => {
  it('is current after every change', () => {
    const { now, write, remove } = setUpFile()
    expect(now()).toBe('absent')
    for (const text of ['one', 'two', 'three']) {
      write(text)
      expect(now()).toBe(text)
    }
    write('x'.repeat(101))
    expect(now()).toBe('unreadable')
    remove()
    expect(now()).toBe('absent')
  })

  it('changes only after a frozen period, and not within it', () => {
    const { now, write, remove } = setUpFile()
    const seen = withFrozenStamps(() => {
      const before = now()
      write('one')
      return [before, now(), withFrozenStamps(now)]
    })
    expect(seen).toEqual(['absent', 'absent', 'absent'])
    expect(now()).toBe('one')
    expect(() =>
      withFrozenStamps(() => {
        now()
        throw new Error('given up')
      }),
    ).toThrow('given up')
    remove()
    expect(now()).toBe('absent')
  })
})
