import fs, { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Overlay, openLower, openStageLog, replay, Stage, type StageLog } from '../../overlay/index.js'
import { tempDir } from '../support/facade.js'
import { mergedFiles, p, seed } from './bench.js'

interface Kept {
  readonly root: string
  readonly files: { log: string; pack: string }
  /** An overlay with a log, started from the files. */
  open(each?: boolean): { overlay: Overlay; log: StageLog; torn: number }
  /** The stage that the files alone describe. */
  read(): Record<string, string>
}

function setUpLog(): Kept {
  const { path: outer, dispose } = tempDir()
  onTestFinished(dispose)
  const root = `${outer}/root`
  seed(root, { a: 'lower' })
  const files = { log: `${outer}/stage.log`, pack: `${outer}/pack` }
  const replayLog = () => {
    const stage = new Stage()
    return { stage, ...replay(files, stage, true) }
  }
  return {
    root,
    files,
    open(each = false) {
      const { stage, ...found } = replayLog()
      const log = openStageLog(files, found, each)
      onTestFinished(() => log.close())
      const overlay = new Overlay({
        ...{ lower: openLower(root), stage, log: (edit, data) => log.append(edit, data) },
        keepInParts: (content) => log.keepInParts(content),
      })
      return { overlay, log, torn: found.torn }
    },
    read: () => mergedFiles(new Overlay({ lower: openLower(root), stage: replayLog().stage })),
  }
}

afterEach(() => vi.restoreAllMocks())

describe('the stage log', () => {
  it('without files is an empty stage, and a reader creates none', () => {
    const fixture = setUpLog()
    expect(fixture.read()).toEqual({ a: 'file 644 lower' })
    expect(fs.existsSync(fixture.files.log)).toBe(false)
  })

  it.each(['log', 'pack'] as const)('does not call a %s durable that was removed or replaced', (file) => {
    const fixture = setUpLog()
    const { overlay, log } = fixture.open()
    overlay.put(p('one'), Buffer.from('1'))
    log.sync()
    fs.rmSync(fixture.files[file])
    overlay.put(p('two'), Buffer.from('2'))
    const message = `Another program has removed or replaced ${fixture.files[file]}`
    expect(() => log.sync()).toThrow(message)
    writeFileSync(fixture.files[file], 'theirs')
    expect(() => log.sync()).toThrow(message)
    expect(() => log.close()).toThrow(message)
    log.close()
    expect(readFileSync(fixture.files[file], 'utf8')).toBe('theirs')
  })

  it('has each edit before the call returns, and equal contents once in the pack', () => {
    const fixture = setUpLog()
    const { overlay } = fixture.open()
    overlay.put(p('one'), Buffer.from('the content'))
    expect(fixture.read().one).toBe('file 666 the content')
    overlay.put(p('two'), Buffer.from('the content'))
    overlay.put(p('a'), Buffer.from('!'), { at: 5 })
    expect(fixture.read()).toEqual(mergedFiles(overlay))
    expect(readFileSync(fixture.files.pack, 'utf8')).toBe('the contentlower!')
  })

  it('is readable only by its owner', () => {
    const fixture = setUpLog()
    fixture.open()
    expect(fs.statSync(fixture.files.log).mode & 0o077).toBe(0)
    expect(fs.statSync(fixture.files.pack).mode & 0o077).toBe(0)
  })

  it('continues after it was closed and opened', () => {
    const fixture = setUpLog()
    const first = fixture.open()
    first.overlay.put(p('one'), Buffer.from('1'))
    first.log.close()
    const second = fixture.open()
    expect(second.torn).toBe(0)
    second.overlay.move(p('one'), p('two'))
    expect(fixture.read()).toEqual({ a: 'file 644 lower', two: 'file 666 1' })
  })
})

describe('a torn tail', () => {
  it('cut at any byte of the last line loses only that line, keeps its bytes, and continues', () => {
    const fixture = setUpLog()
    const { overlay, log } = fixture.open()
    overlay.put(p('one'), Buffer.from('1'))
    const before = fs.statSync(fixture.files.log).size
    overlay.put(p('two'), Buffer.from('2'))
    const whole = readFileSync(fixture.files.log)
    log.close()
    for (let size = before; size < whole.length; size += 1) {
      writeFileSync(fixture.files.log, whole.subarray(0, size))
      fs.rmSync(`${fixture.files.log}.torn`, { force: true })
      expect(fixture.read(), `cut at ${size}`).toEqual({ a: 'file 644 lower', one: 'file 666 1' })
      const again = fixture.open()
      expect(again.torn).toBe(size - before)
      if (again.torn > 0) expect(readFileSync(`${fixture.files.log}.torn`)).toEqual(whole.subarray(before, size))
      again.overlay.put(p('three'), Buffer.from('3'))
      again.log.close()
      expect(fixture.read()).toMatchObject({ one: 'file 666 1', three: 'file 666 3' })
      expect(fixture.read()).not.toHaveProperty('two')
    }
  })

  it('of garbage is skipped by a reader and unchanged on disk', () => {
    const fixture = setUpLog()
    fixture.open().overlay.put(p('one'), Buffer.from('1'))
    appendFileSync(fixture.files.log, '12345678 {"op":"remove","path":"one","whiteout":false,"t":"1"}')
    const bytes = readFileSync(fixture.files.log)
    expect(fixture.read()).toHaveProperty('one')
    expect(readFileSync(fixture.files.log)).toEqual(bytes)
  })
})

describe('a damaged line that was synced', () => {
  it('is refused by file and line, for any byte, and nothing is cut', () => {
    const fixture = setUpLog()
    const { overlay, log } = fixture.open()
    overlay.put(p('one'), Buffer.from('1'))
    const size = fs.statSync(fixture.files.log).size
    overlay.put(p('two'), Buffer.from('2'))
    log.close()
    const whole = readFileSync(fixture.files.log)
    for (let i = 0; i < size - 1; i += 7) {
      const bytes = Buffer.from(whole)
      bytes[i] = (bytes[i] ?? 0) ^ 1
      writeFileSync(fixture.files.log, bytes)
      expect(() => fixture.read(), `byte ${i}`).toThrow(/stage\.log is damaged at line 1/)
      expect(() => fixture.open()).toThrow(/nothing was changed/)
      expect(readFileSync(fixture.files.log)).toEqual(bytes)
    }
  })
})

describe('a power loss', () => {
  /** One synced file, three unsynced. */
  function setUpUnsynced() {
    const fixture = setUpLog()
    const { overlay, log } = fixture.open()
    overlay.put(p('one'), Buffer.from('content 1'))
    log.sync()
    const { size: synced } = fs.statSync(fixture.files.log)
    for (const n of [2, 3, 4]) overlay.put(p(`n${n}`), Buffer.from(`content ${n}`))
    return { ...fixture, synced, bytes: readFileSync(fixture.files.log), lines: lineStarts(fixture.files.log) }
  }

  it('that lost contents cuts the log from the first line that names them, and keeps the cut lines', () => {
    for (const [size, left] of [
      [36, ['one', 'n2', 'n3', 'n4']],
      [35, ['one', 'n2', 'n3']],
      [27, ['one', 'n2', 'n3']],
      [26, ['one', 'n2']],
      [9, ['one']],
    ] as const) {
      const at = setUpUnsynced()
      truncateSync(at.files.pack, size)
      expect(Object.keys(at.read()).sort(), `pack of ${size}`).toEqual(['a', ...left].sort())
      const again = at.open()
      if (again.torn > 0) expect(readFileSync(`${at.files.log}.torn`)).toEqual(at.bytes.subarray(-again.torn))
      again.overlay.put(p('after'), Buffer.from('after'))
      again.log.close()
      expect(Object.keys(at.read()).sort()).toEqual(['a', 'after', ...left].sort())
    }
  })

  it('that left holes in the pack cuts the log in the same way', () => {
    const at = setUpUnsynced()
    const pack = readFileSync(at.files.pack)
    writeFileSync(at.files.pack, pack.fill(0, 20, 24))
    expect(Object.keys(at.read()).sort()).toEqual(['a', 'n2', 'one'])
    expect(at.open().torn).toBe(at.bytes.length - (at.lines[2] ?? 0))
  })

  it('that damaged an unsynced line cuts there', () => {
    const at = setUpUnsynced()
    const bytes = Buffer.from(at.bytes)
    const second = (at.lines[2] ?? 0) + 15
    bytes[second] = 0
    writeFileSync(at.files.log, bytes)
    expect(Object.keys(at.read()).sort()).toEqual(['a', 'n2', 'one'])
    expect(at.open().torn).toBe(bytes.length - (at.lines[2] ?? 0))
  })

  it('leaves an earlier state of the stage, no older than its last sync', () => {
    const call = fc.record({
      path: fc.constantFrom('x', 'y', 'z'),
      data: fc.string({ maxLength: 6 }),
      sync: fc.boolean(),
    })
    const hit = fc.record({ at: fc.double({ min: 0, max: 0.999, noNaN: true }), length: fc.nat(30) })
    fc.assert(
      fc.property(
        fc.array(call, { minLength: 1, maxLength: 12 }),
        fc.array(hit, { maxLength: 3 }),
        hit,
        (calls, hits, cut) => {
          const fixture = setUpLog()
          const { overlay, log } = fixture.open()
          const states = [mergedFiles(overlay)]
          let since = 0
          let safe = { log: 0, pack: 0 }
          for (const { path, data, sync } of calls) {
            overlay.put(p(path), Buffer.from(data))
            states.push(mergedFiles(overlay))
            if (!sync) continue
            log.sync()
            since = states.length - 1
            safe = { log: fs.statSync(fixture.files.log).size, pack: fs.statSync(fixture.files.pack).size }
          }
          for (const [file, from] of [
            [fixture.files.log, safe.log],
            [fixture.files.pack, safe.pack],
          ] as const) {
            const bytes = readFileSync(file)
            const open = bytes.length - from
            for (const each of hits) {
              const start = from + Math.floor(each.at * open)
              bytes.fill(0, start, Math.min(start + each.length, bytes.length))
            }
            writeFileSync(
              file,
              bytes.subarray(0, cut.length % 2 === 0 ? bytes.length : from + Math.floor(cut.at * (open + 1))),
            )
          }
          const found = states.findLastIndex((state) => JSON.stringify(state) === JSON.stringify(fixture.read()))
          expect(found, JSON.stringify(fixture.read())).toBeGreaterThanOrEqual(since)
        },
      ),
      { numRuns: Number(process.env.ESCROWFS_FUZZ_RUNS ?? 60) },
    )
  })
})

/** The offset of each line of a log. */
function lineStarts(log: string): number[] {
  const bytes = readFileSync(log)
  const starts = [0]
  for (let at = bytes.indexOf(10); at >= 0 && at + 1 < bytes.length; at = bytes.indexOf(10, at + 1)) starts.push(at + 1)
  return starts
}

describe('a damaged pack', () => {
  it('fails the read of its content, and returns no other bytes', () => {
    const fixture = setUpLog()
    const { overlay, log } = fixture.open()
    overlay.put(p('one'), Buffer.from('the content'))
    overlay.put(p('two'), Buffer.from('another'))
    log.close()
    writeFileSync(fixture.files.pack, readFileSync(fixture.files.pack, 'utf8').replace('content', 'c0ntent'))
    const reopened = fixture.open().overlay
    expect(() => reopened.read(p('one'))).toThrow(/pack is damaged/)
    expect(reopened.read(p('two')).toString()).toBe('another')
    truncateSync(fixture.files.pack, 3)
    expect(() => fixture.open().overlay.read(p('two'))).toThrow(/pack is damaged/)
  })
})

describe('a full disk', () => {
  /** Writes this many bytes to any file, then fails like a full disk. */
  function fillAfter(bytes: number): void {
    const real = fs.writeSync as (...args: unknown[]) => number
    let left = bytes
    vi.spyOn(fs, 'writeSync').mockImplementation(((
      fd: number,
      data: Uint8Array,
      offset: number,
      length: number,
      position?: number,
    ) => {
      if (left === 0) throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' })
      const part = Math.min(length, left)
      left -= part
      return real(fd, data, offset, part, position)
    }) as typeof fs.writeSync)
  }

  it('fails the call, leaves the stage unchanged, and the next line starts clean', () => {
    for (let bytes = 0; bytes < 120; bytes += 3) {
      const fixture = setUpLog()
      const { overlay, log } = fixture.open()
      overlay.put(p('one'), Buffer.from('1'))
      const before = mergedFiles(overlay)
      fillAfter(bytes)
      expect(() => overlay.put(p('two'), Buffer.from('two'.repeat(10)))).toThrow(/ENOSPC/)
      vi.restoreAllMocks()
      expect(mergedFiles(overlay), `${bytes} bytes`).toEqual(before)
      expect(fixture.read()).toEqual(before)
      overlay.put(p('two'), Buffer.from('two'.repeat(10)))
      overlay.put(p('three'), Buffer.from('3'))
      log.close()
      expect(fixture.read()).toEqual(mergedFiles(overlay))
    }
  })
})

describe('content that is stored in parts', () => {
  const content = (mark: number) => Buffer.alloc((3 << 20) + 5, mark)

  it('is used by its edit, also while others are stored', async () => {
    const fixture = setUpLog()
    const { overlay, log } = fixture.open()
    const storing = overlay.prepare(p('large'), content(1))
    overlay.put(p('between'), Buffer.from('between'))
    const stored = await storing
    expect(overlay.typeOf(p('large'))).toBeUndefined()
    overlay.put(p('large'), stored)
    overlay.put(p('after'), Buffer.from('after'))
    expect(overlay.read(p('large')).equals(content(1))).toBe(true)
    log.close()
    expect(fixture.read()).toEqual(mergedFiles(overlay))
  })

  it('is stored once, and lets timers run', async () => {
    const { overlay, log } = setUpLog().open()
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const [one, two] = [await overlay.prepare(p('x'), content(2)), await overlay.prepare(p('y'), content(2))]
    clearInterval(timer)
    expect(turns).toBeGreaterThan(2)
    expect(two).toEqual(one)
    log.close()
  })

  it('fails once the log is closed, and nothing is lost', async () => {
    const fixture = setUpLog()
    const { overlay, log } = fixture.open()
    overlay.put(p('one'), Buffer.from('1'))
    const storing = overlay.prepare(p('x'), content(3))
    log.close()
    await expect(storing).rejects.toMatchObject({ code: 'EBADF' })
    expect(fixture.read()).toEqual(mergedFiles(overlay))
  })
})
