import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { ROOT } from '../../overlay/index.js'
import { CopiedTree } from '../../src/terminal/copied-entry.js'
import { CopyPlan, CopyWriter } from '../../src/terminal/copy-writer.js'
import { overlayOver } from '../overlay/bench.js'
import { tempDir } from '../support/facade.js'

/** A workspace with the file `d/f`, and a secret outside of it. */
function setUp() {
  const { root, overlay, dispose } = overlayOver({ a: 'a\n', 'd/f': 'f\n', z: 'z\n' })
  onTestFinished(dispose)
  const outside = tempDir()
  onTestFinished(outside.dispose)
  fs.mkdirSync(`${outside.path}/tree`)
  fs.writeFileSync(`${outside.path}/secret`, 'secret\n')
  const tree = `${outside.path}/tree`
  const writer = new CopyWriter(root, tree, new CopiedTree())
  const bring = () => {
    const plan = new CopyPlan(() => false)
    plan.add(ROOT, true)
    writer.bring({ overlay, closed: new Set(), kept: new Set() }, plan)
  }
  const names = () => fs.readdirSync(tree, { recursive: true }).sort()
  return { file: `${root}/d/f`, secret: `${outside.path}/secret`, overlay, tree, bring, names }
}

type Setup = ReturnType<typeof setUp>

const CHANGES: Record<string, (setup: Setup) => void> = {
  vanishes: ({ file }) => fs.rmSync(file),
  'becomes a directory': ({ file }) => {
    fs.rmSync(file)
    fs.mkdirSync(file)
  },
  'becomes a link': ({ file, secret }) => {
    fs.rmSync(file)
    fs.symlinkSync(secret, file)
  },
  'becomes a FIFO': ({ file }) => {
    fs.rmSync(file)
    spawnSync('mkfifo', [file])
  },
}

const MOMENTS: Record<string, (setup: Setup, act: () => void) => void> = {
  'after its directory was listed': ({ overlay }, act) => {
    const readdir = overlay.readdir.bind(overlay)
    vi.spyOn(overlay, 'readdir').mockImplementation((path) => {
      const entries = readdir(path)
      if (path === 'd') act()
      return entries
    })
  },
  'right before it is copied': ({ overlay }, act) => {
    const lstat = overlay.lstat.bind(overlay)
    vi.spyOn(overlay, 'lstat').mockImplementation((path) => {
      const stats = lstat(path)
      if (path === 'd/f') act()
      return stats
    })
  },
}

describe.each(Object.keys(MOMENTS))('a file that changes %s', (moment) => {
  it.each(Object.keys(CHANGES))('and %s is left out, and the next update copies what is there', (change) => {
    const setup = setUp()
    let isDone = false
    MOMENTS[moment]?.(setup, () => {
      if (!isDone) CHANGES[change]?.(setup)
      isDone = true
    })
    setup.bring()
    expect(isDone).toBe(true)
    expect(setup.names()).toEqual(['a', 'd', 'z'])
    fs.rmSync(setup.file, { recursive: true, force: true })
    fs.writeFileSync(setup.file, 'back\n')
    setup.bring()
    expect(fs.readFileSync(`${setup.tree}/d/f`, 'utf8')).toBe('back\n')
  })
})

describe('a directory that becomes a link while the workspace is copied', () => {
  /** Replaces `d` by a link to a directory outside, which has a file, a link and a directory. */
  function setUpLink() {
    const setup = setUp()
    const outside = tempDir()
    onTestFinished(outside.dispose)
    fs.writeFileSync(`${outside.path}/f`, 'secret\n')
    fs.writeFileSync(`${outside.path}/g`, 'secret\n')
    fs.symlinkSync('secret', `${outside.path}/link`)
    fs.mkdirSync(`${outside.path}/secret`)
    const dir = setup.file.slice(0, -'/f'.length)
    let isDone = false
    const replace = () => {
      if (isDone) return
      isDone = true
      fs.renameSync(dir, `${outside.path}/d`)
      fs.symlinkSync(outside.path, dir)
    }
    return { ...setup, replace }
  }

  it('before it is listed is copied empty, and the next update copies the link', () => {
    const { overlay, replace, bring, names, tree } = setUpLink()
    const { lower } = overlay
    const readdir = lower.readdir.bind(lower)
    vi.spyOn(lower, 'readdir').mockImplementation((path) => {
      if (path === 'd') replace()
      return readdir(path)
    })
    bring()
    expect(names()).toEqual(['a', 'd', 'z'])
    bring()
    expect(fs.lstatSync(`${tree}/d`).isSymbolicLink()).toBe(true)
  })

  it('after it is listed gives no file of its target to the copy', () => {
    const { overlay, replace, bring, names } = setUpLink()
    const { lower } = overlay
    const readdir = lower.readdir.bind(lower)
    vi.spyOn(lower, 'readdir').mockImplementation((path) => {
      const entries = readdir(path)
      if (path === 'd') replace()
      return entries
    })
    bring()
    expect(names()).toEqual(['a', 'd', 'z'])
  })

  it('between two files gives no further file of its target to the copy', () => {
    const { overlay, replace, bring, tree } = setUpLink()
    const lstat = overlay.lstat.bind(overlay)
    vi.spyOn(overlay, 'lstat').mockImplementation((path) => {
      const stats = lstat(path)
      if (path === 'd/f') replace()
      return stats
    })
    bring()
    expect(fs.readdirSync(`${tree}/d`)).toEqual([])
  })
})
