import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SharedFile } from '../../src/core/layout.js'
import { cachedFile, withFrozenStamps } from '../../src/os/cached-file.js'
import { tempDir } from '../support/facade.js'

function setUpFile(): {
  readonly write: (text: string) => void
  readonly read: () => string
  readonly remove: () => void
} {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  const file = `${path}/a`
  const read = cachedFile(new SharedFile(path, 'a'), 100, (found) =>
    found.kind === 'bytes' ? found.bytes.toString() : found.kind,
  )
  return { read, write: (text) => writeFileSync(file, text), remove: () => rmSync(file) }
}

describe('a cached file', () => {
  it('is current after every change', () => {
    const { read, write, remove } = setUpFile()
    expect(read()).toBe('absent')
    for (const text of ['one', 'two', 'three']) {
      write(text)
      expect(read()).toBe(text)
    }
    write('x'.repeat(101))
    expect(read()).toBe('unreadable')
    remove()
    expect(read()).toBe('absent')
  })

  it('changes only after a frozen period, and not within it', () => {
    const { read, write, remove } = setUpFile()
    const seen = withFrozenStamps(() => {
      const before = read()
      write('one')
      return [before, read(), withFrozenStamps(read)]
    })
    expect(seen).toEqual(['absent', 'absent', 'absent'])
    expect(read()).toBe('one')
    expect(() =>
      withFrozenStamps(() => {
        read()
        throw new Error('given up')
      }),
    ).toThrow('given up')
    remove()
    expect(read()).toBe('absent')
  })
})
