import { chmodSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { diffStage, digest, type Overlay } from '../../overlay/index.js'
import { overlayOver, p, removeTree, type SeedTree } from './bench.js'

const TREE: SeedTree = { a: 'one', b: 'two', 'd/x': 'dx', 'd/e/y': 'dy', 'd/empty/': '', l: '-> a' }

function site(tree = TREE): { overlay: Overlay; root: string; changes: () => string[] } {
  const { overlay, root, dispose } = overlayOver(tree)
  onTestFinished(dispose)
  return { overlay, root, changes: () => describeChanges(overlay) }
}

/** `kind path` or `rename from -> path`, and a mark if the base has changed. */
function describeChanges(overlay: Overlay): string[] {
  return diffStage(overlay)
    .changes.map(({ kind, path, from, drifted }) => {
      const name = from === undefined ? path : `${from} -> ${path}`
      return `${kind} ${name}${drifted ? ' drifted' : ''}`
    })
    .sort()
}

const text = (content: string) => Buffer.from(content)

describe('the changes of a stage', () => {
  it('are empty for no edit, a write of the same bytes, and a name that was created and removed', () => {
    const { overlay, changes } = site()
    overlay.put(p('a'), text('one'))
    overlay.put(p('new'), text('n'))
    overlay.remove(p('new'))
    overlay.mkdir(p('dir'), 0o755)
    overlay.remove(p('dir'))
    overlay.setattr(p('b'), { mode: 0o644 })
    expect(changes()).toEqual([])
  })

  it('include every kind of change', () => {
    const { overlay, changes } = site()
    overlay.put(p('new'), text('n'))
    overlay.put(p('a'), text('changed'))
    overlay.remove(p('b'))
    overlay.setattr(p('d/x'), { mode: 0o755 })
    overlay.symlink('a', p('link'))
    overlay.mkdir(p('made'), 0o755)
    overlay.move(p('d/e/y'), p('y'))
    expect(changes()).toEqual([
      'create new',
      'delete b',
      'link link',
      'mkdir made',
      'mode d/x',
      'modify a',
      'rename d/e/y -> y',
    ])
  })

  it('have both states and the staged bytes', () => {
    const { overlay } = site()
    overlay.put(p('a'), text('changed'))
    overlay.setattr(p('a'), { mode: 0o600 })
    const [change] = diffStage(overlay).changes
    expect(change).toMatchObject({
      before: { type: 'file', digest: digest('one'), mode: 0o644 },
      after: { type: 'file', digest: digest('changed'), mode: 0o600 },
    })
    expect(Buffer.from(change?.content() ?? []).toString()).toBe('changed')
  })

  it('count a renamed directory once for every file, and name its directories', () => {
    const { overlay, changes } = site()
    overlay.move(p('d'), p('moved'))
    expect(changes()).toEqual([
      'delete d/empty',
      'mkdir moved/empty',
      'rename d/e/y -> moved/e/y',
      'rename d/x -> moved/x',
    ])
    const { newDirs, removedDirs } = diffStage(overlay)
    expect(newDirs.map(({ path }) => path)).toEqual(['moved', 'moved/e', 'moved/empty'])
    expect(removedDirs).toEqual(['d/empty', 'd/e', 'd'])
  })

  it('ignore a rename and its reverse', () => {
    const { overlay, changes } = site()
    overlay.move(p('d'), p('moved'))
    overlay.move(p('moved'), p('d'))
    overlay.move(p('a'), p('z'))
    overlay.move(p('z'), p('a'))
    expect(changes()).toEqual([])
  })

  it('are one rename for a renamed file that was edited, and a modify and a delete for one that replaces another', () => {
    const { overlay, changes } = site()
    overlay.move(p('a'), p('z'))
    overlay.put(p('z'), text('edited'))
    expect(changes()).toEqual(['rename a -> z'])
    overlay.move(p('z'), p('b'))
    expect(changes()).toEqual(['delete a', 'modify b'])
  })

  it('treat a name behind a circular link as absent', () => {
    const { overlay, root, changes } = site()
    overlay.put(p('d/e/y'), text('mine'))
    rmSync(`${root}/d/e`, { recursive: true })
    symlinkSync('e', `${root}/d/e`)
    expect(changes()).toEqual(['modify d/e/y drifted'])
  })

  it('count a removed directory once for every file in it', () => {
    const { overlay, changes } = site()
    removeTree(overlay, p('d'))
    expect(changes()).toEqual(['delete d/e/y', 'delete d/empty', 'delete d/x'])
  })

  it('delete the missing entries of a directory that was removed and created again', () => {
    const { overlay, changes } = site()
    removeTree(overlay, p('d'))
    overlay.mkdir(p('d'), 0o755)
    overlay.put(p('d/x'), text('new'))
    expect(changes()).toEqual(['delete d/e/y', 'delete d/empty', 'modify d/x'])
  })

  it('replace a directory with a file, and the reverse', () => {
    const { overlay, changes } = site()
    removeTree(overlay, p('d'))
    overlay.put(p('d'), text('file'))
    overlay.remove(p('a'))
    overlay.mkdir(p('a'), 0o755)
    overlay.put(p('a/in'), text('x'))
    expect(changes()).toEqual(['create a/in', 'create d', 'delete a', 'delete d/e/y', 'delete d/empty', 'delete d/x'])
  })

  it('treat a second name for a file as a separate file', () => {
    const { overlay, changes } = site()
    overlay.link(p('a'), p('twin'))
    expect(changes()).toEqual(['create twin'])
    overlay.put(p('twin'), text('both'))
    expect(changes()).toEqual(['create twin', 'modify a'])
    expect(overlay.read(p('a')).toString()).toBe('both')
  })

  it('attribute entries removed with a directory to the author of its replacement', () => {
    const { overlay, dispose } = overlayOver({ 'd/x': 'dx' }, { credit: () => ({ intent: 'I' }) })
    onTestFinished(dispose)
    for (const path of ['d/x', 'd']) overlay.remove(p(path))
    overlay.put(p('d'), text('a file'))
    expect(diffStage(overlay).changes.map(({ path, intentId }) => [path, intentId])).toEqual([
      ['d/x', 'I'],
      ['d', 'I'],
    ])
  })

  it('are attributed to the writer, remover or mover, with the files of a directory', () => {
    let intent = 'I-1'
    const { overlay, dispose } = overlayOver(TREE, { credit: () => ({ intent, call: `call of ${intent}` }) })
    onTestFinished(dispose)
    overlay.put(p('a'), text('x'))
    overlay.mkdir(p('made'), 0o755)
    intent = 'I-2'
    overlay.move(p('d'), p('moved'))
    intent = 'I-3'
    overlay.put(p('moved/x'), text('x'))
    overlay.remove(p('b'))
    const found = Object.fromEntries(diffStage(overlay).changes.map(({ path, intentId }) => [path, intentId]))
    expect(found).toEqual({
      a: 'I-1',
      b: 'I-3',
      made: 'I-1',
      'd/empty': 'I-2',
      'moved/empty': 'I-2',
      'moved/e/y': 'I-2',
      'moved/x': 'I-3',
    })
    expect(diffStage(overlay).changes.every(({ calls, intentId }) => calls.join() === `call of ${intentId}`)).toBe(true)
  })
})

describe('a changed disk', () => {
  it('is reported against the state at the first edit', () => {
    const { overlay, root, changes } = site()
    overlay.put(p('a'), text('ours'))
    overlay.put(p('new'), text('ours'))
    overlay.remove(p('b'))
    writeFileSync(`${root}/a`, 'theirs')
    writeFileSync(`${root}/new`, 'theirs')
    writeFileSync(`${root}/b`, 'theirs')
    expect(changes()).toEqual(['create new drifted', 'delete b drifted', 'modify a drifted'])
    expect(diffStage(overlay).changes.find(({ path }) => path === 'a')?.before?.digest).toBe(digest('one'))
  })

  it('has not drifted after a touch or a change of mode', () => {
    const { overlay, root, changes } = site()
    overlay.put(p('a'), text('ours'))
    writeFileSync(`${root}/a`, 'one')
    expect(changes()).toEqual(['modify a'])
    chmodSync(`${root}/a`, 0o600)
    expect(changes()).toEqual(['modify a'])
  })

  it('with exactly the staged content leaves nothing to commit', () => {
    const { overlay, root, changes } = site()
    overlay.put(p('a'), text('the same'))
    overlay.remove(p('b'))
    writeFileSync(`${root}/a`, 'the same')
    rmSync(`${root}/b`)
    expect(changes()).toEqual([])
  })

  it('without a file that was edited here is drift, not a creation', () => {
    const { overlay, root, changes } = site()
    overlay.put(p('a'), text('ours'))
    rmSync(`${root}/a`)
    expect(changes()).toEqual(['modify a drifted'])
  })

  it('keeps the content of a renamed file', () => {
    const { overlay, root, changes } = site()
    overlay.move(p('a'), p('z'))
    rmSync(`${root}/a`)
    expect(overlay.read(p('z')).toString()).toBe('one')
    writeFileSync(`${root}/a`, 'another')
    expect(overlay.read(p('z')).toString()).toBe('one')
    expect(changes()).toEqual(['rename a -> z drifted'])
  })
})
