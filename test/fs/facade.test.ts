import fs, { mkdirSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type BareFacade, createBareFacade, tempDir, treeOf } from '../support/facade.js'

function facadeOver(): BareFacade & { root: string } {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  mkdirSync(`${root}/d`)
  fs.writeFileSync(`${root}/f`, 'lower')
  return { ...createBareFacade(root), root }
}

describe('staged content', () => {
  it('is a copy, unaffected by later changes of the caller’s buffer', async () => {
    const { fs: facade } = facadeOver()
    const mine = Buffer.from('before')
    const writing = [
      facade.promises.writeFile('p', mine),
      new Promise((resolve) => facade.writeFile('c', mine, resolve)),
    ]
    facade.writeFileSync('s', mine)
    facade.appendFileSync('f', mine)
    mine.fill('!')
    await Promise.all(writing)
    for (const name of ['p', 'c', 's']) expect(facade.readFileSync(name, 'utf8')).toBe('before')
    expect(facade.readFileSync('f', 'utf8')).toBe('lowerbefore')
  })

  it('is returned as a copy, unaffected by the reader’s changes', () => {
    const { fs: facade, root } = facadeOver()
    facade.writeFileSync('s', 'staged')
    facade.readFileSync('s').fill('!')
    facade.readFileSync('f').fill('!')
    expect(facade.readFileSync('s', 'utf8')).toBe('staged')
    expect(facade.readFileSync('f', 'utf8')).toBe('lower')
    expect(fs.readFileSync(`${root}/f`, 'utf8')).toBe('lower')
  })

  it('of a view is only the view, not its whole buffer', () => {
    const { fs: facade } = facadeOver()
    const whole = Uint8Array.from([1, 2, 3, 4, 5, 6, 7, 8])
    facade.writeFileSync('v', whole.subarray(2, 4))
    facade.writeFileSync('w', new Uint16Array(whole.buffer, 4, 1))
    expect([...facade.readFileSync('v')]).toEqual([3, 4])
    expect([...facade.readFileSync('w')]).toEqual([5, 6])
  })
})

describe('a path', () => {
  it('is the same as text, Buffer or URL', async () => {
    const { fs: facade, root } = facadeOver()
    const spellings = (name: string) => [name, `${root}/${name}`, Buffer.from(name), pathToFileURL(`${root}/${name}`)]
    for (const path of spellings('one')) facade.appendFileSync(path, '.')
    for (const path of spellings('one')) {
      expect(await facade.promises.readFile(path, 'utf8')).toBe('....')
      expect(facade.existsSync(path)).toBe(true)
    }
    expect(facade.readdirSync(Buffer.from(root))).toEqual(['d', 'f', 'one'])
  })
})

describe('the object', () => {
  it('has one promises object with stable functions', () => {
    const { fs: facade } = facadeOver()
    expect(facade.promises).toBe(facade.promises)
    expect(facade.promises.readFile).toBe(facade.promises.readFile)
    expect(facade.promises).not.toBe(fs.promises)
    expect(facade.constants).toBe(fs.constants)
  })

  it('can be cloned and patched as graceful-fs does, and the clone works', async () => {
    const { fs: facade, root } = facadeOver()
    const before = treeOf(fs, root)
    const clone = Object.create(Object.getPrototypeOf(facade)) as typeof fs
    for (const key of Object.getOwnPropertyNames(facade)) {
      const property = Object.getOwnPropertyDescriptor(facade, key)
      if (property) Object.defineProperty(clone, key, property)
    }
    const calls: unknown[] = []
    const { readFile } = clone
    clone.readFile = ((path: string, ...rest: unknown[]) => {
      calls.push(path)
      return Reflect.apply(readFile, clone, [path, ...rest])
    }) as typeof fs.readFile
    clone.writeFileSync('new', 'staged')
    const read = await new Promise((resolve) => clone.readFile('new', 'utf8', (_, text) => resolve(text)))
    expect([read, calls]).toEqual(['staged', ['new']])
    expect(facade.readFile).not.toBe(clone.readFile)
    expect(treeOf(fs, root)).toEqual(before)
  })

  it('works with detached functions', async () => {
    const { existsSync, writeFileSync, promises } = facadeOver().fs
    const { readFile } = promises
    writeFileSync('x', '1')
    expect(existsSync('x')).toBe(true)
    expect(await readFile('x', 'utf8')).toBe('1')
  })
})

describe('exists', () => {
  it('keeps its own form of callback and of promisify', async () => {
    const { fs: facade } = facadeOver()
    expect(await new Promise((resolve) => facade.exists('f', resolve))).toBe(true)
    expect(await promisify(facade.exists)('f')).toBe(true)
    expect(await promisify(facade.exists)('nothing')).toBe(false)
    expect(await promisify(facade.readFile)('f', 'utf8')).toBe('lower')
  })
})

describe('a callback', () => {
  it('runs later, never within the call, also for an error', async () => {
    const { fs: facade } = facadeOver()
    for (const name of ['f', 'nothing']) {
      let called = false
      const answered = new Promise((resolve) =>
        facade.readFile(name, (error) => {
          called = true
          resolve(error?.code)
        }),
      )
      expect(called).toBe(false)
      expect(await answered).toBe(name === 'f' ? undefined : 'ENOENT')
    }
  })

  it('is required: without it the call throws', () => {
    const { fs: facade } = facadeOver()
    for (const name of ['readFile', 'writeFile', 'stat', 'exists'] as const)
      expect(() => Reflect.apply(facade[name], facade, ['f'])).toThrow(
        expect.objectContaining({ code: 'ERR_INVALID_ARG_TYPE' }),
      )
  })
})
