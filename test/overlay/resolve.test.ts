import fs, { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { codeOf } from '../../overlay/errno.js'
import { Overlay, openLower, type Resolved, Resolver, Stage } from '../../overlay/index.js'
import type { Follow } from '../../overlay/resolve.js'
import { tempDir } from '../support/facade.js'
import { p, seed } from './bench.js'

interface Site {
  readonly root: string
  readonly outer: string
  readonly overlay: Overlay
  readonly resolver: Resolver
  /** The target of a name: `in:<path>`, `out:<path>`, or the error's code. */
  at(text: string, follow?: Follow): string
}

function site(tree: Readonly<Record<string, string>>, aliases: string[] = []): Site {
  const { path: outer, dispose } = tempDir()
  onTestFinished(dispose)
  const root = `${outer}/root`
  mkdirSync(root)
  seed(root, tree)
  const overlay = new Overlay({ lower: openLower(root), stage: new Stage() })
  const resolver = new Resolver(overlay, aliases)
  return {
    root,
    outer,
    overlay,
    resolver,
    at: (text, follow = 'follow') => describeResolved(() => resolver.resolve(text, follow)),
  }
}

function describeResolved(resolve: () => Resolved): string {
  try {
    const place = resolve()
    return `${place.inside ? 'in' : 'out'}:${place.path}`
  } catch (error) {
    return codeOf(error) ?? String(error)
  }
}

describe('a name', () => {
  it("is taken from the root, absolute or relative, by any of the root's spellings", () => {
    const { root, outer, overlay } = site({ 'a/b': 'x' })
    symlinkSync(root, `${outer}/alias`)
    const resolver = new Resolver(overlay, [`${outer}/alias`])
    for (const text of [
      'a/b',
      `${root}/a/b`,
      `${outer}/alias/a/b`,
      `${outer}/./alias/../root/a/b`,
      './a//b',
      'a/../a/b',
    ])
      expect(
        describeResolved(() => resolver.resolve(text, 'follow')),
        text,
      ).toBe('in:a/b')
    for (const text of [root, `${root}/`, '.', 'a/..', `${outer}/alias`])
      expect(describeResolved(() => resolver.resolve(text, 'follow'))).toBe('in:')
  })

  it('that begins like the root without being below it is outside', () => {
    const { at, root } = site({})
    expect(at(`${root}2/x`)).toBe(`out:${root}2/x`)
  })

  it('may be absent at its end, not on the way; nothing resolves below a file', () => {
    const { at } = site({ 'a/b': 'x' })
    expect(at('a/new')).toBe('in:a/new')
    expect(at('none/new')).toBe('ENOENT')
    expect(at('a/b/c')).toBe('ENOTDIR')
    expect(at('a/b/')).toBe('ENOTDIR')
    expect(at('a/b/..')).toBe('ENOTDIR')
    expect(at('a/b/.')).toBe('ENOTDIR')
    expect(at('none/..')).toBe('ENOENT')
    expect(at('')).toBe('ENOENT')
  })

  it('has a result for each kind of end', () => {
    const { resolver } = site({ 'a/b/': '' })
    const endings = ['a/b', 'a/b/', 'a/b/.', 'a/b/..'].map((text) => resolver.resolve(text, 'follow'))
    expect(endings.map((place) => place.inside && place.ending)).toEqual(['name', 'slash', 'dot', 'dotdot'])
  })
})

describe('a link', () => {
  const TREE = {
    'd/f': 'x',
    'd/e/': '',
    l: '-> d/f',
    ld: '-> d',
    'd/up': '-> ../l',
    dangling: '-> d/none',
    empty: '-> d/e',
  }

  it('is followed, kept, or kept even before a slash, as requested', () => {
    const { at } = site(TREE)
    expect(at('l')).toBe('in:d/f')
    expect(at('l', 'nofollow')).toBe('in:l')
    expect(at('ld/', 'nofollow')).toBe('in:d')
    expect(at('ld/', 'exact')).toBe('in:ld')
    expect(at('ld/f', 'exact')).toBe('in:d/f')
    expect(at('ld/up')).toBe('in:d/f')
    expect(at('dangling')).toBe('in:d/none')
    expect(at('l/x')).toBe('ENOTDIR')
  })

  it('`..` after it is the parent of its target', () => {
    const { at } = site({ ...TREE, 'x/deep': '-> ../d/e' })
    expect(at('x/deep/../f')).toBe('in:d/f')
    expect(at('x/deep/..')).toBe('in:d')
  })

  it('is followed through forty links, not through forty-one, and never in a cycle', () => {
    const { root, at } = site({ f: 'x', loop: '-> loop', a: '-> b', b: '-> a' })
    for (let i = 1; i <= 41; i += 1) symlinkSync(i === 1 ? 'f' : `n${i - 1}`, `${root}/n${i}`)
    expect(at('n40')).toBe('in:f')
    expect(at('n41')).toBe('ELOOP')
    for (const text of ['loop', 'a', 'a/x', 'loop/..']) expect(at(text), text).toBe('ELOOP')
    expect(at('loop', 'nofollow')).toBe('in:loop')
  })

  it('that leaves the root leads to the disk, and back in if its target does', () => {
    const { root, outer, at } = site({ 'd/f': 'x', up: '-> ..', abs: '-> /', 'back/': '' })
    writeFileSync(`${outer}/secret`, '')
    symlinkSync(`${outer}/secret`, `${root}/s`)
    symlinkSync(`${root}/d`, `${root}/self`)
    symlinkSync(`../../root/d`, `${root}/back/round`)
    expect(at('s')).toBe(`out:${outer}/secret`)
    expect(at('s', 'nofollow')).toBe('in:s')
    expect(at('up/secret')).toBe(`out:${outer}/secret`)
    expect(at('../secret')).toBe(`out:${outer}/secret`)
    expect(at('abs/etc')).toBe('out:/etc')
    expect(at('self/f')).toBe('in:d/f')
    expect(at('back/round/f')).toBe('in:d/f')
    expect(at('up/root/d/f')).toBe('in:d/f')
    expect(at(`abs${root}/d/f`)).toBe('in:d/f')
    expect(at(`${outer}/root/d/f`)).toBe('in:d/f')
  })

  it('outside that leads in, and a cycle outside, are recognized', () => {
    const { root, outer, at } = site({ 'd/f': 'x' })
    symlinkSync(`${root}/d`, `${outer}/in`)
    symlinkSync('round', `${outer}/round`)
    expect(at(`${outer}/in/f`)).toBe('in:d/f')
    expect(at(`${outer}/in`, 'nofollow')).toBe(`out:${outer}/in`)
    expect(at(`${outer}/round`)).toBe('ELOOP')
  })
})

describe('the stage', () => {
  it('is what is resolved: staged links, removed and renamed directories', () => {
    const { overlay, at } = site({ 'd/f': 'x', 'e/g': 'y' })
    expect(at('d/f')).toBe('in:d/f')
    overlay.symlink('e', p('link'))
    expect(at('link/g')).toBe('in:e/g')
    overlay.move(p('d'), p('moved'))
    expect(at('d/f')).toBe('ENOENT')
    expect(at('moved/f')).toBe('in:moved/f')
    overlay.remove(p('link'))
    expect(at('link')).toBe('in:link')
    overlay.put(p('file'), Buffer.from(''))
    expect(at('file/x')).toBe('ENOTDIR')
    overlay.remove(p('file'))
    overlay.mkdir(p('file'), 0o755)
    expect(at('file/x')).toBe('in:file/x')
  })
})

describe('any name over any links', () => {
  it("resolves to the kernel's result", () => {
    const names = ['a', 'b', 'c', 'l1', 'l2', 'l3']
    const part = fc.constantFrom(...names, '..', '.', '')
    const text = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'))
    const target = fc.oneof(
      text,
      text.map((rest) => `/ROOT/${rest}`),
    )
    const places = fc.constantFrom('l1', 'l2', 'l3', 'a/l1', 'a/l2', 'a/b/l3', 'c/l1')
    fc.assert(
      fc.property(fc.dictionary(places, target, { maxKeys: 5 }), fc.array(text, { maxLength: 6 }), (links, asked) => {
        const { path: outer, dispose } = tempDir()
        try {
          const root = `${outer}/1/2/3/root`
          seed(root, { 'a/b/': '', 'a/c': 'f', 'c/a/': '', b: 'f' })
          for (const [place, to] of Object.entries(links))
            symlinkSync(to.replace('/ROOT', root) || '.', `${root}/${place}`)
          const resolver = new Resolver(new Overlay({ lower: openLower(root), stage: new Stage() }))
          for (const each of asked) {
            if (each === '') continue
            const ours = describeResolved(() => resolver.resolve(`${root}/${each}`, 'follow'))
            const real = kernel(`${root}/${each}`, root)
            // The kernel has no name for a path that is absent at its end.
            if (real === 'ENOENT') expect(ours === 'ENOENT' || isAbsent(ours, root), `${each}: ${ours}`).toBe(true)
            else expect(ours, each).toBe(real)
          }
        } finally {
          dispose()
        }
      }),
      { numRuns: 300 },
    )
  })

  function kernel(path: string, root: string): string {
    try {
      const real = fs.realpathSync.native(path)
      return real === root ? 'in:' : real.startsWith(`${root}/`) ? `in:${real.slice(root.length + 1)}` : `out:${real}`
    } catch (error) {
      return codeOf(error) ?? ''
    }
  }

  function isAbsent(place: string, root: string): boolean {
    const path = place.replace(/^in:/, `${root}/`).replace(/^out:/, '')
    return fs.lstatSync(path, { throwIfNoEntry: false }) === undefined
  }
})
