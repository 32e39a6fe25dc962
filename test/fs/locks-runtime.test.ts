import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type BareFacade, createBareFacade, tempDir } from '../support/facade.js'

/**
 * The second lock: a function that the running host has and the tables lack is refused by name, never passed through.
 */

let dir: { path: string; dispose(): void }
beforeEach(() => {
  dir = tempDir()
})
afterEach(() => dir.dispose())

/** Simulates a later release of the host, with one more property, until the test ends. */
function hostHas(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, configurable: true, enumerable: true, writable: true })
  onTestFinished(() => void Reflect.deleteProperty(object, name))
}

/** The value at a dotted name of the facade. */
function at(facade: BareFacade, name: string): (...args: unknown[]) => unknown {
  let found: unknown = facade.fs
  for (const key of name.split('.')) found = Reflect.get(Object(found), key)
  if (typeof found !== 'function') throw new Error(`fs.${name} is not a function`)
  return found as (...args: unknown[]) => unknown
}

const refusal = (name: string) => ({ code: 'ENOSYS', reason: 'unsupported', message: expect.stringContaining(name) })

describe('a function that only the running host has', () => {
  it('is refused by name in each form, and its body never runs', async () => {
    const ran = vi.fn()
    for (const name of ['imprint', 'imprintSync', 'engrave']) hostHas(fs, name, ran)
    hostHas(fs.promises, 'imprint', ran)
    const facade = createBareFacade(dir.path)
    expect(() => at(facade, 'imprintSync')('x', 'y')).toThrow(expect.objectContaining(refusal('imprint')))
    expect(() => at(facade, 'engrave')('x')).toThrow(expect.objectContaining(refusal('engrave')))
    await expect(at(facade, 'promises.imprint')('x')).rejects.toMatchObject(refusal('imprint'))
    const called = new Promise((resolve) => at(facade, 'imprint')('x', 'y', resolve))
    expect(await called).toMatchObject(refusal('imprint'))
    expect(ran).not.toHaveBeenCalled()
    expect(facade.denied.map(({ reason }) => reason)).toEqual(Array(4).fill('unsupported'))
  })

  it('is refused as a class, with new and in instanceof', () => {
    const factory = vi.fn()
    hostHas(
      fs,
      'Utf9Stream',
      class {
        constructor() {
          factory()
        }
      },
    )
    const Refused = at(createBareFacade(dir.path), 'Utf9Stream')
    expect(() => Reflect.construct(Refused, [{ dest: `${dir.path}/x` }])).toThrow(
      expect.objectContaining(refusal('Utf9Stream')),
    )
    expect(Object(1) instanceof Refused).toBe(false)
    expect(factory).not.toHaveBeenCalled()
  })

  it('is refused in its own namespace, whose values stay', () => {
    const ran = vi.fn()
    hostHas(fs, 'future', { writeSync: ran, readFile: ran, VERSION: 7, deeper: { writeSync: ran } })
    hostHas(fs.promises, 'future', { write: ran })
    const facade = createBareFacade(dir.path)
    expect(() => at(facade, 'future.writeSync')('x')).toThrow(expect.objectContaining(refusal('future.writeSync')))
    expect(() => at(facade, 'future.readFile')('x')).toThrow(expect.objectContaining(refusal('future.readFile')))
    expect(() => at(facade, 'promises.future.write')('x')).toThrow(expect.objectContaining(refusal('future.write')))
    expect(Reflect.get(facade.fs, 'future')).toMatchObject({ VERSION: 7 })
    expect(Reflect.get(facade.fs, 'future')).not.toHaveProperty('deeper')
    expect(ran).not.toHaveBeenCalled()
  })

  it('excludes properties of Object, which have no row', () => {
    for (const name of ['toString', 'constructor', 'hasOwnProperty']) hostHas(fs, name, vi.fn())
    const facade = createBareFacade(dir.path)
    expect(() => at(facade, 'hasOwnProperty')('x')).toThrow(expect.objectContaining(refusal('hasOwnProperty')))
    expect(() => at(facade, 'toString')()).toThrow(expect.objectContaining(refusal('toString')))
  })
})

describe('a method that only the running FileHandle has', () => {
  it('is refused by name, whether the prototype or the handle itself has it', async () => {
    fs.writeFileSync(`${dir.path}/f`, 'lower')
    const ran = vi.fn()
    const handle = await fs.promises.open(`${dir.path}/f`, 'r')
    hostHas(Object.getPrototypeOf(handle), 'imprint', ran)
    await handle.close()
    // The class copies its methods from the host when it is loaded.
    vi.resetModules()
    const later = await import('../support/facade.js')
    const opened = await later.createBareFacade(dir.path).fs.promises.open(`${dir.path}/f`, 'r')
    const method: unknown = Reflect.get(opened, 'imprint')
    expect(() => Reflect.apply(method as () => void, opened, ['x'])).toThrow(
      expect.objectContaining(refusal('FileHandle.imprint')),
    )
    expect(await opened.readFile('utf8')).toBe('lower')
    await opened.close()
    expect(ran).not.toHaveBeenCalled()
  })
})

describe('the facade object', () => {
  it('has every name the host exports, and no host function but three plain classes', () => {
    const facade = createBareFacade(dir.path)
    const shared = Object.keys(fs).filter((name) => {
      const mine: unknown = Reflect.get(facade.fs, name)
      return typeof mine === 'function' && mine === Reflect.get(fs, name)
    })
    expect(Object.keys(facade.fs).sort()).toEqual(Object.keys(fs).sort())
    expect(shared.sort()).toEqual(['Dir', 'Dirent', 'Stats'])
    const promised = Object.keys(fs.promises)
    expect(Object.keys(facade.fs.promises).sort()).toEqual(promised.sort())
    expect(promised.filter((name) => Reflect.get(facade.fs.promises, name) === Reflect.get(fs.promises, name))).toEqual(
      ['constants'],
    )
  })

  it('is plain: every property is its own and writable, and a replaced one changes no other', () => {
    const facade = createBareFacade(dir.path)
    const locked = Object.entries(Object.getOwnPropertyDescriptors(facade.fs)).filter(
      ([, each]) => each.writable !== true || each.configurable !== true,
    )
    expect(locked).toEqual([])
    const calls = vi.fn()
    Object.assign(facade.fs, { writeSync: calls, openSync: calls })
    facade.fs.writeFileSync(`${dir.path}/new`, 'staged')
    expect(facade.fs.readFileSync(`${dir.path}/new`, 'utf8')).toBe('staged')
    expect(calls).not.toHaveBeenCalled()
    expect(fs.existsSync(`${dir.path}/new`)).toBe(false)
  })
})
