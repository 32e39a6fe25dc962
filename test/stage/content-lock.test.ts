import { chmodSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it, onTestFinished } from 'vitest'
import { baseOf } from '../../overlay/base.js'
import { digest, type Overlay } from '../../overlay/index.js'
import type { ToolContext } from '../../src/core/tool-context.js'
import { ContentLock } from '../../src/stage/content-lock.js'
import { SeenFiles } from '../../src/stage/seen-files.js'
import { overlayOver, p } from '../overlay/bench.js'

interface Site {
  readonly root: string
  readonly overlay: Overlay
  readonly files: SeenFiles
  readonly lock: ContentLock
  /** Reads as an agent would, in the current tool. */
  read(path: string): void
  tool: ToolContext['kind'] | undefined
}

function site(): Site {
  const { root, overlay, dispose } = overlayOver({ a: 'one', b: 'two', 'd/x': 'x' })
  onTestFinished(dispose)
  const files = new SeenFiles(overlay.lower)
  const newSite: Site = {
    root,
    overlay,
    tool: undefined,
    files,
    lock: new ContentLock(overlay, files, () =>
      newSite.tool === undefined ? undefined : { tool: 'any', callId: '1', kind: newSite.tool },
    ),
    read(path) {
      const present = overlay.typeOf(p(path)) === 'file'
      newSite.lock.saw(p(path), present ? overlay.read(p(path)) : undefined)
    },
  }
  return newSite
}

describe('the content lock', () => {
  it('has no verdict on an unread path', () => {
    const { files, lock, root } = site()
    writeFileSync(`${root}/a`, 'changed')
    expect(lock.check('a')).toBe('unread')
    expect(files.baseOf(p('a'))).toBeUndefined()
  })

  it('finds a file stale after a change, removal or replacement, and fresh once read again', () => {
    for (const change of [
      (root: string) => writeFileSync(`${root}/a`, 'changed'),
      (root: string) => rmSync(`${root}/a`),
      (root: string) => writeFileSync(`${root}/a`, 'eno'),
    ]) {
      const { lock, root, read } = site()
      read('a')
      expect(lock.check('a')).toBe('fresh')
      change(root)
      expect(lock.check('a')).toBe('stale')
      read('a')
      expect(lock.check('a')).toBe('fresh')
    }
  })

  it('compares content: a touch, another mode, or the same bytes written again are not stale', () => {
    const { lock, root, read } = site()
    read('a')
    utimesSync(`${root}/a`, 1, 1)
    chmodSync(`${root}/a`, 0o600)
    expect(lock.check('a')).toBe('fresh')
    rmSync(`${root}/a`)
    writeFileSync(`${root}/a`, 'one')
    expect(lock.check('a')).toBe('fresh')
  })

  it('counts an absent file as a base, which a new file makes stale', () => {
    const { files, lock, root, read } = site()
    read('new')
    expect(files.baseOf(p('new'))).toEqual({ state: null })
    writeFileSync(`${root}/new`, 'theirs')
    expect(lock.check('new')).toBe('stale')
  })

  it('moves the base by reads of a read tool and plain code, not of an edit tool or a command', () => {
    for (const kind of ['edit', 'command', 'other'] as const) {
      const fixture = site()
      fixture.read('a')
      writeFileSync(`${fixture.root}/a`, 'changed')
      fixture.tool = kind
      fixture.read('a')
      expect(fixture.lock.check('a'), kind).toBe('stale')
      fixture.tool = 'read'
      fixture.read('a')
      expect(fixture.lock.check('a')).toBe('fresh')
    }
  })

  it('is fresh for staged paths, whose drift is for the review', () => {
    const { lock, root, read, overlay } = site()
    read('a')
    read('b')
    overlay.put(p('a'), Buffer.from('ours'))
    overlay.remove(p('b'))
    writeFileSync(`${root}/a`, 'theirs')
    writeFileSync(`${root}/b`, 'theirs')
    expect([lock.check('a'), lock.check('b')]).toEqual(['fresh', 'fresh'])
  })

  it('gives the content that was read as the base of an edit, not the current one', () => {
    const { files, root, read } = site()
    read('a')
    writeFileSync(`${root}/a`, 'changed')
    expect(files.baseOf(p('a'))?.state?.digest).toBe(digest('one'))
  })

  it('follows a renamed directory to its lower files', () => {
    const { lock, root, read, overlay } = site()
    overlay.move(p('d'), p('e'))
    read('e/x')
    writeFileSync(`${root}/d/x`, 'changed')
    expect(lock.check('e/x')).toBe('stale')
  })

  it("counts the session's own commit as read", () => {
    const { files, lock, root, read, overlay } = site()
    read('a')
    writeFileSync(`${root}/a`, 'committed')
    files.onCommitted(p('a'), baseOf(overlay.lower, p('a')).state)
    expect(lock.check('a')).toBe('fresh')
  })

  it('keeps at most 8 MiB of contents', async () => {
    const { lock } = site()
    const before = buffersHeld()
    const large = (n: number) => Buffer.alloc(1 << 16, n)
    for (let n = 0; n < 600; n++) lock.saw(p(`f${n % 3 === 0 ? 0 : n % 250}`), large(n))
    // Unreferenced memory is released a little later.
    await expect.poll(() => buffersHeld() - before, { timeout: 10_000 }).toBeLessThan(9 << 20)
    expect(lock.check('f0')).toBe('stale')
  })
})

/** Bytes in buffers that are still referenced. */
function buffersHeld(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().arrayBuffers
}
