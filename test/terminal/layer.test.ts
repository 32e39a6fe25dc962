import fs from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RelPath } from '../../overlay/index.js'
import { copyKept } from '../../src/terminal/copy-kept.js'
import { liveLayer, restingLayer, Unsettled } from '../../src/terminal/layer.js'
import { clearEffects, syncLeftovers } from '../../src/terminal/leftovers.js'
import { overlayOver } from '../overlay/bench.js'
import { tempDir } from '../support/facade.js'

const rel = (path: string) => path as RelPath

/** A layer with `d/sub/f`, and a directory outside of it with a similar `f`. */
function setUpLayer() {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  fs.mkdirSync(`${root}/layer/d/sub`, { recursive: true })
  fs.mkdirSync(`${root}/outside/sub`, { recursive: true })
  for (const dir of ['layer/d/sub', 'outside/sub']) fs.writeFileSync(`${root}/${dir}/f`, dir)
  const host = `${root}/layer`
  const layer = liveLayer(host)
  onTestFinished(() => layer.close())
  const swap = () => {
    fs.renameSync(`${host}/d`, `${host}/e`)
    fs.symlinkSync('../outside', `${host}/d`)
  }
  return { host, layer, swap }
}

describe('the layer of a running command', () => {
  it('does not let a link that replaced a directory lead out of it', () => {
    const { layer, swap } = setUpLayer()
    const stats = layer.lstat(rel('d/sub/f'))
    if (!stats) return expect.unreachable('it is there')
    expect(layer.read(rel('d/sub/f'), stats).toString()).toBe('layer/d/sub')
    swap()
    // Through its descriptor it is still the same directory, whatever its name.
    expect(layer.read(rel('d/sub/f'), stats).toString()).toBe('layer/d/sub')
    for (const work of [() => layer.names(rel('d')), () => layer.lstat(rel('d/sub/f'))]) {
      layer.close()
      expect(work).toThrow(/ENOTDIR|ELOOP/)
    }
    layer.close()
    expect(() => layer.read(rel('d/sub/f'), stats)).toThrow(Unsettled)
  })

  it('returns no file that is written to while it is read, nor another of its name', () => {
    const { host, layer } = setUpLayer()
    const stats = layer.lstat(rel('d/sub/f'))
    if (!stats) return expect.unreachable('it is there')
    fs.appendFileSync(`${host}/d/sub/f`, ' and more')
    expect(() => layer.read(rel('d/sub/f'), stats)).toThrow(Unsettled)
    fs.writeFileSync(`${host}/d/sub/g`, 'layer/d/sub')
    fs.renameSync(`${host}/d/sub/g`, `${host}/d/sub/f`)
    expect(() => layer.read(rel('d/sub/f'), stats)).toThrow(Unsettled)
    fs.rmSync(`${host}/d/sub/f`)
    expect(() => layer.read(rel('d/sub/f'), stats)).toThrow(Unsettled)
    expect(layer.lstat(rel('d/sub/f'))).toBeUndefined()
  })

  it('returns an empty file, and none over the limit of a stage', () => {
    const { host, layer } = setUpLayer()
    const read = (size: number) => {
      fs.truncateSync(`${host}/d/sub/f`, size)
      const stats = layer.lstat(rel('d/sub/f'))
      return stats && layer.read(rel('d/sub/f'), stats)
    }
    expect(read(5)?.toString()).toBe('layer')
    expect(read(0)?.length).toBe(0)
    expect(() => read(2 ** 30 + 1)).toThrow(expect.objectContaining({ code: 'EFBIG' }))
  })

  it('keeps no descriptor once it is closed', () => {
    const { layer } = setUpLayer()
    const before = fs.readdirSync('/proc/self/fd').length
    layer.names(rel('d/sub'))
    expect(fs.readdirSync('/proc/self/fd').length).toBeGreaterThan(before)
    layer.close()
    expect(fs.readdirSync('/proc/self/fd').length).toBe(before)
  })
})

describe('a layer at rest, with a link in place of a directory,', () => {
  function setUpLinked() {
    const { host, swap } = setUpLayer()
    const outside = `${host}/../outside/sub`
    fs.chmodSync(`${outside}/f`, 0)
    fs.chmodSync(outside, 0o500)
    onTestFinished(() => fs.chmodSync(outside, 0o700))
    swap()
    const snapshotOutside = () => [
      fs.readdirSync(outside),
      fs.statSync(outside).mode & 0o777,
      fs.statSync(`${outside}/f`).mode & 0o777,
    ]
    return { host, snapshotOutside }
  }
  const UNCHANGED = [['f'], 0o500, 0]

  it('is not read through it, and no mode outside is changed', () => {
    const { host, snapshotOutside } = setUpLinked()
    const layer = restingLayer(host)
    const stats = layer.lstat(rel('d'))
    if (!stats) return expect.unreachable('the link is there')
    expect([layer.lstat(rel('d/sub')), layer.lstat(rel('d/sub/f'))]).toEqual([undefined, undefined])
    for (const work of [
      () => layer.names(rel('d')),
      () => layer.names(rel('d/sub')),
      () => layer.read(rel('d/sub/f'), stats),
      () => layer.target(rel('d/sub/f')),
    ])
      expect(work).toThrow('ENOTDIR')
    expect(snapshotOutside()).toEqual(UNCHANGED)
  })

  it('is not changed through it', () => {
    const { host, snapshotOutside } = setUpLinked()
    const { overlay, dispose } = overlayOver({ 'd/sub/f': 'f\n' })
    onTestFinished(dispose)
    expect(
      clearEffects(
        [
          { kind: 'gone', path: rel('d/sub/f') },
          { kind: 'unnamed', path: rel('d/sub') },
        ],
        host,
      ),
    ).toEqual([])
    syncLeftovers([rel('d'), rel('d/sub')], overlay, host)
    overlay.remove(rel('d/sub/f'))
    overlay.remove(rel('d/sub'))
    syncLeftovers([rel('d'), rel('d/sub')], overlay, host)
    expect(snapshotOutside()).toEqual(UNCHANGED)
    expect(fs.readlinkSync(`${host}/d`)).toBe('../outside')
  })

  it('does not copy kept files through it, in either direction', () => {
    const { host, snapshotOutside } = setUpLinked()
    fs.chmodSync(`${host}/../outside/sub/f`, 0o600)
    const other = `${host}/../other`
    fs.mkdirSync(other)
    const along = { modeOf: () => 0o755, hiddenNames: () => [] }
    copyKept([rel('d/sub/f'), rel('e/sub/f')], { ...along, from: host, to: other })
    expect(fs.readdirSync(other)).toEqual(['e'])
    fs.mkdirSync(`${other}/d/sub`, { recursive: true })
    fs.writeFileSync(`${other}/d/sub/more`, '')
    copyKept([rel('d/sub/more')], { ...along, from: other, to: host })
    expect(snapshotOutside()[0]).toEqual(['f'])
  })
})
