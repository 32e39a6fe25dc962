import fs from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createBareFacade, tempDir, treeOf } from '../support/facade.js'
import { fuzzParameters } from '../support/fuzz.js'

/**
 * Random sequences of descriptor calls and of renames, removals and rewrites of their names, on a real directory and
 * through the facade: the results of each call, and the trees at the end, must be equal.
 */

type Step =
  | { op: 'open'; slot: number; name: string; flags: string }
  | { op: 'read'; slot: number; length: number; position: number | null }
  | { op: 'write'; slot: number; text: string; position: number | null }
  | { op: 'writev' | 'readv'; slot: number; position: number | null }
  | { op: 'close' | 'fstat' | 'readFile' | 'fsync'; slot: number }
  | { op: 'writeFd'; slot: number; text: string }
  | { op: 'ftruncate'; slot: number; size: number }
  | { op: 'fchmod'; slot: number; mode: number }
  | { op: 'rename'; name: string; to: string }
  | { op: 'unlink' | 'rmdir' | 'mkdir'; name: string }
  | { op: 'rewrite'; name: string; text: string }

const slot = fc.integer({ min: 0, max: 2 })
const name = fc.constantFrom('a', 'b', 'd', 'd/x', 'd/y', 'link', 'new')
const text = fc.string({ maxLength: 12 })
// Node treats a negative or fractional one as absent, except for the position of a read.
const position = fc.constantFrom(null, null, 0, 3, 20)
const loose = fc.constantFrom(null, null, 0, 3, 20, -1, -7, 2.5, Number.NaN, 2 ** 60)
const flags = fc.constantFrom('r', 'r', 'r+', 'w', 'w+', 'a', 'a+', 'wx', 'ax+', 'rs+')

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ op: fc.constant('open' as const), slot, name, flags }) },
  {
    weight: 3,
    arbitrary: fc.record({ op: fc.constant('read' as const), slot, length: fc.integer({ min: 0, max: 30 }), position }),
  },
  { weight: 5, arbitrary: fc.record({ op: fc.constant('write' as const), slot, text, position: loose }) },
  fc.record({ op: fc.constantFrom('writev' as const, 'readv' as const), slot, position: loose }),
  {
    weight: 4,
    arbitrary: fc.record({
      op: fc.constantFrom('close' as const, 'fstat' as const, 'readFile' as const, 'fsync' as const),
      slot,
    }),
  },
  fc.record({ op: fc.constant('writeFd' as const), slot, text }),
  fc.record({ op: fc.constant('ftruncate' as const), slot, size: fc.integer({ min: 0, max: 20 }) }),
  fc.record({ op: fc.constant('fchmod' as const), slot, mode: fc.constantFrom(0o600, 0o644) }),
  { weight: 2, arbitrary: fc.record({ op: fc.constant('rename' as const), name, to: name }) },
  {
    weight: 2,
    arbitrary: fc.record({ op: fc.constantFrom('unlink' as const, 'rmdir' as const, 'mkdir' as const), name }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant('rewrite' as const), name, text }) },
)

class Machine {
  readonly #slots: (number | undefined)[] = []

  constructor(
    private readonly api: typeof fs,
    private readonly root: string,
  ) {}

  run(step: Step): string {
    try {
      return JSON.stringify(this.#do(step)) ?? 'undefined'
    } catch (error) {
      const { code, syscall, message } = error as NodeJS.ErrnoException
      // Node's fast and slow paths of whole-file calls use different system calls.
      if (step.op === 'readFile' || step.op === 'writeFd') return JSON.stringify({ code })
      return JSON.stringify({ code, syscall, message: message.replaceAll(this.root, '<root>') })
    }
  }

  closeAll(): void {
    for (const fd of this.#slots) if (fd !== undefined) this.api.closeSync(fd)
  }

  #do(step: Step): unknown {
    const { api } = this
    if (!('slot' in step)) return this.#byName(step)
    // A slot that was never opened is a number without a file.
    const fd = this.#slots[step.slot] ?? 987_654
    switch (step.op) {
      case 'open':
        if (this.#slots[step.slot] !== undefined) return 'busy'
        this.#slots[step.slot] = api.openSync(`${this.root}/${step.name}`, step.flags)
        return 'opened'
      case 'close':
        this.#slots[step.slot] = undefined
        return api.closeSync(fd)
      case 'read': {
        const buffer = Buffer.alloc(30)
        return [api.readSync(fd, buffer, 0, step.length, step.position), buffer.toString('hex')]
      }
      case 'write':
        return api.writeSync(fd, step.text, step.position)
      case 'writev':
        return api.writevSync(fd, [Buffer.from('one'), Buffer.from('two')], step.position ?? undefined)
      case 'readv': {
        const buffers = [Buffer.alloc(3), Buffer.alloc(5)]
        return [api.readvSync(fd, buffers, step.position ?? undefined), Buffer.concat(buffers).toString('hex')]
      }
      case 'fstat': {
        const stats = api.fstatSync(fd)
        return stats.isDirectory() ? 'dir' : [stats.size, stats.mode, stats.nlink]
      }
      case 'readFile':
        return api.readFileSync(fd, 'latin1')
      case 'writeFd':
        return api.writeFileSync(fd, step.text)
      case 'fsync':
        return api.fsyncSync(fd)
      case 'ftruncate':
        return api.ftruncateSync(fd, step.size)
      case 'fchmod':
        return api.fchmodSync(fd, step.mode)
    }
  }

  #byName(step: Exclude<Step, { slot: number }>): unknown {
    const path = `${this.root}/${step.name}`
    if (step.op === 'rename') return this.api.renameSync(path, `${this.root}/${step.to}`)
    if (step.op === 'rewrite') return this.api.writeFileSync(path, step.text)
    return step.op === 'unlink'
      ? this.api.unlinkSync(path)
      : step.op === 'rmdir'
        ? this.api.rmdirSync(path)
        : this.api.mkdirSync(path)
  }
}

function seed(root: string): void {
  fs.mkdirSync(`${root}/d`, { recursive: true })
  fs.writeFileSync(`${root}/a`, 'the lower a')
  fs.writeFileSync(`${root}/d/x`, 'the lower x')
  fs.symlinkSync('a', `${root}/link`)
}

describe('descriptors against node:fs', () => {
  it('give the same results as the host through all changes of their names', () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 30 }), (steps) => {
        const outer = tempDir()
        const [real, copy] = [`${outer.path}/real`, `${outer.path}/copy`]
        seed(real)
        seed(copy)
        const before = treeOf(fs, copy)
        const facade = createBareFacade(copy)
        const machines = [new Machine(fs, real), new Machine(facade.fs, copy)] as const
        try {
          for (const each of steps) expect(machines[1].run(each), JSON.stringify(each)).toBe(machines[0].run(each))
          expect(treeOf(facade.fs, copy)).toEqual(treeOf(fs, real))
          expect(treeOf(fs, copy)).toEqual(before)
        } finally {
          machines[0].closeAll()
          machines[1].closeAll()
          outer.dispose()
        }
      }),
      fuzzParameters(400),
    )
  })

  it.each([-1n, -2n, 3n, 2n ** 60n, 2n ** 64n])('read the same at %s', (at) => {
    const outer = tempDir()
    const [real, copy] = [`${outer.path}/real`, `${outer.path}/copy`]
    seed(real)
    seed(copy)
    const facade = createBareFacade(copy)
    facade.fs.appendFileSync(`${copy}/d/x`, '!')
    fs.appendFileSync(`${real}/d/x`, '!')
    const readAll = (api: typeof fs, root: string) =>
      ['a', 'd/x'].map((name) => {
        const fd = api.openSync(`${root}/${name}`, 'r')
        const buffer = Buffer.alloc(4)
        try {
          return [api.readSync(fd, buffer, 0, 4, at), buffer.toString()]
        } catch (error) {
          return (error as NodeJS.ErrnoException).code
        } finally {
          api.closeSync(fd)
        }
      })
    expect(readAll(facade.fs, copy)).toEqual(readAll(fs, real))
    outer.dispose()
  })
})
