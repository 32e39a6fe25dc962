import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { refreshHomeCopy, removeInside } from '../../src/terminal/home-copy.js'
import { tempDir } from '../support/facade.js'

let place = tempDir()
beforeEach(() => {
  place = tempDir()
  mkdirSync(join(place.path, 'home'))
})
afterEach(() => place.dispose())

const at = (path: string) => join(place.path, path)
function put(path: string, text: string): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}
const textAt = (path: string) => (existsSync(at(path)) ? readFileSync(at(path), 'utf8') : undefined)
const refresh = (...reset: string[]) =>
  refreshHomeCopy({ at: at('home'), copy: at('copy'), list: at('list.json') }, reset)

describe('a copy of a client’s directory', () => {
  it("shows commands' writes, else the person's files", () => {
    const path = fc.constantFrom('a', 'd/b', 'd/c')
    const step = fc.oneof(
      fc.record({ by: fc.constantFrom('home', 'copy'), path, act: fc.constantFrom('write', 'remove') }),
      fc.constant('refresh' as const),
    )
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        for (const name of ['home', 'copy', 'list.json']) rmSync(at(name), { recursive: true, force: true })
        mkdirSync(at('home/d'), { recursive: true })
        refresh()
        const theirs = new Map<string, string>()
        const visible = new Map<string, string>()
        /** Paths that were copied, and still have the person's content. */
        const copied = new Set<string>()
        /** Paths that commands changed or removed. */
        const own = new Set<string>()
        for (const [n, each] of [...steps, 'refresh' as const].entries()) {
          if (each === 'refresh') {
            refresh()
            for (const name of ['a', 'd/b', 'd/c']) {
              const text = theirs.get(name)
              if (!own.has(name) && text !== undefined) visible.set(name, text)
              else if (!own.has(name)) visible.delete(name)
              // A path that both removed no longer belongs to the commands.
              else if (text === undefined && !visible.has(name)) own.delete(name)
              if (text === undefined) copied.delete(name)
              else if (!own.has(name)) copied.add(name)
              expect([name, textAt(`copy/${name}`)]).toEqual([name, visible.get(name)])
            }
          } else if (each.by === 'home') {
            if (each.act === 'write') theirs.set(each.path, `theirs ${n}`)
            else theirs.delete(each.path)
            if (each.act === 'write') put(`home/${each.path}`, `theirs ${n}`)
            else rmSync(at(`home/${each.path}`), { force: true })
          } else if (each.act === 'write') {
            put(`copy/${each.path}`, `ours ${n}`)
            visible.set(each.path, `ours ${n}`)
            own.add(each.path)
          } else if (visible.delete(each.path)) {
            rmSync(at(`copy/${each.path}`))
            if (copied.has(each.path)) own.add(each.path)
            else own.delete(each.path)
          }
        }
      }),
      { numRuns: 80 },
    )
  })

  it("restores the person's version of the paths that are reset, with everything below", () => {
    put('home/settings.json', 'person')
    put('home/hooks/one', 'person')
    refresh()
    put('copy/settings.json', 'agent')
    put('copy/settings.local.json', 'agent')
    put('copy/hooks/two', 'agent')
    rmSync(at('copy/hooks/one'))
    chmodSync(at('copy/hooks'), 0o500)
    refresh('settings.json', 'settings.local.json', 'hooks')
    const paths = ['settings.json', 'settings.local.json', 'hooks/one', 'hooks/two']
    expect(paths.map((path) => textAt(`copy/${path}`))).toEqual(['person', undefined, 'person', undefined])
  })

  it('never follows a link that commands left', () => {
    put('home/data/a', 'person')
    put('home/data/sub/b', 'person')
    put('outside/a', 'precious')
    put('outside/sub/b', 'precious')
    refresh()
    rmSync(at('copy/data'), { recursive: true })
    symlinkSync(at('outside'), at('copy/data'))
    put('home/data/a', 'newer')
    put('home/data/new', 'newer')
    rmSync(at('home/data/sub'), { recursive: true })
    refresh('data/sub/b')
    expect(['a', 'sub/b', 'new'].map((path) => textAt(`outside/${path}`))).toEqual(['precious', 'precious', undefined])
    // The link was on the way to a setting, so it was removed. Without one it stays, and leads nowhere new.
    expect(lstatSync(at('copy/data'), { throwIfNoEntry: false })).toBeUndefined()
    symlinkSync(at('outside'), at('copy/data'))
    refresh()
    expect([readlinkSync(at('copy/data')), textAt('outside/new')]).toEqual([at('outside'), undefined])
  })

  it('keeps links that lead out of the directory working, and stays private', () => {
    put('dotfiles/claude.md', 'mine')
    put('home/inner', 'inner')
    symlinkSync('../dotfiles/claude.md', at('home/CLAUDE.md'))
    symlinkSync('inner', at('home/same'))
    symlinkSync('nowhere', at('home/broken'))
    refresh()
    expect(textAt('copy/CLAUDE.md')).toBe('mine')
    expect([readlinkSync(at('copy/same')), readlinkSync(at('copy/broken'))]).toEqual(['inner', 'nowhere'])
    expect(lstatSync(at('copy')).mode & 0o777).toBe(0o700)
  })

  it('recovers from a crash between the copies and their list', () => {
    put('home/a', 'one')
    refresh()
    rmSync(at('list.json'))
    put('copy/b', 'agent')
    refresh()
    put('home/a', 'two!')
    put('home/b', 'person')
    refresh()
    expect([textAt('copy/a'), textAt('copy/b')]).toEqual(['two!', 'agent'])
    writeFileSync(at('list.json'), '{"version":1,"entr')
    refresh()
    expect([textAt('copy/a'), textAt('copy/b')]).toEqual(['two!', 'agent'])
  })

  it('of too many bytes is refused, and no part of the file is copied', () => {
    put('home/big', '')
    truncateSync(at('home/big'), 2 ** 30 + 1)
    expect(() => refresh()).toThrow('too large to copy: the limit is 1 GiB')
    expect(existsSync(at('copy/big'))).toBe(false)
  })
})

it('removing a path stops at a link or a file', () => {
  put('outside/x', 'precious')
  put('copy/file', 'agent')
  symlinkSync(at('outside'), at('copy/link'))
  removeInside(at('copy'), 'link/x')
  removeInside(at('copy'), 'file/x/y')
  removeInside(at('copy'), 'absent/x')
  expect([textAt('outside/x'), existsSync(at('copy/link')), existsSync(at('copy/file'))]).toEqual([
    'precious',
    false,
    false,
  ])
})
