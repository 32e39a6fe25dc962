import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { layoutOf } from '../../src/core/layout.js'
import type { Measured } from '../../src/core/mutation.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { CLASSIFIER } from '../../src/stage/class-line-schema.js'
import { classCache } from '../../src/stage/index.js'
import { tempDir } from '../support/facade.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const FOUND: Measured = { class: 'AST_REFACTOR', rule: 'layout', detail: 'the same code' }

/** Opens the cache as further processes would: each gets a separate name for the same file. */
function place() {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  mkdirSync(`${root}/state`)
  const layout = layoutOf(root, `${root}/state`)
  let processes = 0
  return {
    file: layout.classes,
    inNewProcess: () => classCache({ ...layout, classes: `${root}/state/${'./'.repeat(++processes)}classes.jsonl` }),
  }
}

const waitForWrite = (file: string) => vi.waitFor(() => expect(readFileSync(file, 'utf8')).toMatch(/\n$/))

describe('the cache of classes', () => {
  it('passes measured classes to another process', async () => {
    const { file, inNewProcess } = place()
    inNewProcess().set('a b src/a.ts', FOUND)
    await waitForWrite(file)
    const cache = inNewProcess()
    expect([cache.get('a b src/a.ts'), cache.get('a c src/a.ts')]).toEqual([FOUND, undefined])
  })

  it('skips torn lines, other versions and unknown classes', async () => {
    const { file, inNewProcess } = place()
    inNewProcess().set('kept', FOUND)
    await waitForWrite(file)
    const line = (more: object) => `${JSON.stringify({ v: CLASSIFIER, key: 'bad', ...FOUND, ...more })}\n`
    appendFileSync(file, `${line({ v: CLASSIFIER + 1 })}${line({ class: 'HARMLESS' })}${line({}).slice(0, 30)}`)
    const cache = inNewProcess()
    expect([cache.get('kept'), cache.get('bad')]).toEqual([FOUND, undefined])
  })

  it('keeps the newest classes up to its limit', async () => {
    const { file, inNewProcess } = place()
    const cache = inNewProcess()
    for (let n = 0; n < 8_200; n++) cache.set(`key-${n}`, FOUND)
    await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('key-8199'))
    const next = inNewProcess()
    expect([next.get('key-0'), next.get('key-8199')]).toEqual([undefined, FOUND])
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(4_200)
  })

  it('works without a file if none can be written', () => {
    const { path: root, dispose } = tempDir()
    onTestFinished(dispose)
    writeFileSync(`${root}/state`, 'no directory')
    const cache = classCache(layoutOf(root, `${root}/state`))
    cache.set('key', FOUND)
    expect(cache.get('key')).toEqual(FOUND)
  })
})

describe('a commit', () => {
  const code = 'export const a = 1\n'
  const prose = '// prose\n'.repeat(40_000)
  const classOf = async (project: ReturnType<typeof testWorkspace>) => {
    const record = (await recordsOf(await project.open())).find((each) => metadataOf(each).type === 'commit') ?? {}
    return (metadataOf(record).changes as { mutation: Measured }[]).map(({ mutation }) => mutation.rule)
  }

  it('records the classes that the approval measured beyond a commit’s own budget', async () => {
    const project = testWorkspace({ 'src/a.ts': code + prose })
    const session = await startSession(await project.open())
    session.fs.writeFileSync('src/a.ts', `\n${code}${prose}`)
    const review = await (await project.open()).review(session.id)
    await review.approve()
    await review.commit()
    expect(await classOf(project)).toEqual(['layout'])
  })

  it('uses the classes of an earlier process', async () => {
    const project = testWorkspace({ 'src/a.ts': code })
    const session = await startSession(await project.open())
    session.fs.writeFileSync('src/a.ts', `\n${code}`)
    const review = await (await project.open()).review(session.id)
    await review.approve()
    const cache = classCache(layoutAt(project.root))
    const [change] = (await review.changes()).changes
    const key = `${change?.before} ${change?.after} src/a.ts`
    expect(cache.get(key)).toMatchObject({ rule: 'layout' })
    cache.set(key, { ...FOUND, rule: 'from-the-cache' })
    await review.commit()
    expect(await classOf(project)).toEqual(['from-the-cache'])
  })
})
