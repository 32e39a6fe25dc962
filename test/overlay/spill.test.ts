import fs from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Overlay, openLower, openStageLog, type RelPath, replay, Stage } from '../../overlay/index.js'
import { initWorkspace, openWorkspace } from '../../src/index.js'
import { tempDir } from '../support/facade.js'
import { trust } from '../support/trust.js'

let dir: { path: string; dispose(): void }
beforeEach(() => {
  dir = tempDir()
  fs.mkdirSync(`${dir.path}/ws`)
})
afterEach(() => dir.dispose())

const at = (name: string) => name as RelPath
const contentOf = (i: number) => Buffer.alloc(10_000, `content ${i} `)

function spilling(limit: number): { overlay: Overlay; stage: Stage; close(): void } {
  const files = { log: `${dir.path}/log`, pack: `${dir.path}/pack` }
  const stage = new Stage()
  const log = openStageLog(files, replay(files, stage), false)
  stage.upper.spillAbove(limit, (bytes) => log.keep(bytes))
  const overlay = new Overlay({
    lower: openLower(`${dir.path}/ws`),
    stage,
    log: (edit, data) => log.append(edit, data),
  })
  return { overlay, stage, close: () => log.close() }
}

describe('spilling staged content', () => {
  it('keeps memory below the limit, and reads every file back', () => {
    const { overlay, stage, close } = spilling(50_000)
    for (let i = 0; i < 40; i++) {
      overlay.put(at(`f${i}`), contentOf(i))
      expect(stage.upper.bytes).toBeLessThanOrEqual(60_000)
    }
    for (let i = 0; i < 40; i++) {
      expect(overlay.lstat(at(`f${i}`))?.size).toBe(10_000)
      expect(overlay.read(at(`f${i}`)).equals(contentOf(i))).toBe(true)
    }
    expect(stage.upper.bytes).toBeLessThanOrEqual(60_000)
    close()
  })

  it('keeps changes since the content was stored, and replays to the same state', () => {
    const first = spilling(50_000)
    for (let i = 0; i < 20; i++) {
      first.overlay.put(at(`f${i}`), contentOf(i))
      first.overlay.put(at(`f${i}`), Buffer.from('edited'), { at: 5 })
    }
    const editedContent = (i: number) =>
      Buffer.concat([contentOf(i).subarray(0, 5), Buffer.from('edited'), contentOf(i).subarray(11)])
    for (let i = 0; i < 20; i++) expect(first.overlay.read(at(`f${i}`)).equals(editedContent(i))).toBe(true)
    first.close()
    const second = spilling(50_000)
    for (let i = 0; i < 20; i++) expect(second.overlay.read(at(`f${i}`)).equals(editedContent(i))).toBe(true)
    second.close()
  })

  it('writes a large file to the pack at once, also for a write into a lower one', () => {
    const large = Buffer.alloc(20 << 20, 'large ')
    fs.writeFileSync(`${dir.path}/ws/lower`, large)
    const { overlay, stage, close } = spilling(64 << 20)
    overlay.put(at('new'), large)
    expect(stage.upper.bytes).toBe(0)
    overlay.put(at('lower'), Buffer.from('MIDDLE'), { at: 10 << 20 })
    large.write('MIDDLE', 10 << 20)
    expect(overlay.read(at('lower')).equals(large)).toBe(true)
    expect(fs.readFileSync(`${dir.path}/ws/lower`).includes('MIDDLE')).toBe(false)
    close()
  })

  it('frees removed content', () => {
    const { overlay, stage, close } = spilling(1 << 20)
    overlay.put(at('f'), contentOf(1))
    overlay.remove(at('f'))
    expect(stage.upper.bytes).toBe(0)
    close()
  })
})

describe('a session that keeps no files', () => {
  it('refuses content beyond its memory, and continues once some is freed', async () => {
    const root = `${dir.path}/ws`
    await initWorkspace(root)
    fs.writeFileSync(
      `${root}/.orchestration/active_intents.yaml`,
      'active_intents:\n  - id: I\n    name: n\n    status: IN_PROGRESS\n    owned_scope: ["**"]\n',
    )
    trust(root)
    const workspace = await openWorkspace(root, { durability: 'memory', memory: 25_000 })
    const session = await workspace.session({ id: 's' })
    await session.selectIntent('I')
    for (let i = 0; i < 3; i++) session.fs.writeFileSync(`${root}/f${i}`, contentOf(i))
    const write = () => session.fs.writeFileSync(`${root}/g`, 'x')
    expect(write).toThrow(expect.objectContaining({ code: 'EDQUOT', reason: 'limit_exceeded' }))
    session.fs.unlinkSync(`${root}/f0`)
    write()
    expect(session.fs.readFileSync(`${root}/g`, 'utf8')).toBe('x')
    await workspace.close()
  })
})
