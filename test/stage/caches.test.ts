import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { CLASSIFIER } from '../../src/change-class/index.js'
import { layoutOf } from '../../src/core/layout.js'
import type { Measured } from '../../src/core/mutation.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { classCache, findingsCache } from '../../src/stage/index.js'
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
    const line = (v: number, more: object) => `${JSON.stringify({ v, key: 'bad', found: { ...FOUND, ...more } })}\n`
    const lines = [line(CLASSIFIER + 1, {}), line(CLASSIFIER, { class: 'HARMLESS' }), line(CLASSIFIER, {}).slice(0, -9)]
    appendFileSync(file, `${lines.join('')}\n`)
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

  it.each(['"', '","found":{}', '\n', '}', '\u2028', ''])('returns what was stored under the key %j', async (key) => {
    const { file, inNewProcess } = place()
    inNewProcess().set(key, { ...FOUND, detail: `${key}}` })
    await waitForWrite(file)
    expect(inNewProcess().get(key)).toEqual({ ...FOUND, detail: `${key}}` })
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

describe('the cache of findings', () => {
  const place = () => {
    const { path: root, dispose } = tempDir()
    onTestFinished(dispose)
    mkdirSync(`${root}/state`)
    return { ...layoutOf(root, `${root}/state`), other: `${root}/state/./findings.jsonl` }
  }

  it('passes findings to another process', async () => {
    const layout = place()
    const found = [{ name: 'guard-removed' as const, what: 'if (!u)', oldLine: 2, gone: ['if(!u)'] }]
    findingsCache(layout).set('key', found)
    await waitForWrite(layout.findings)
    expect(findingsCache({ ...layout, findings: layout.other }).get('key')).toEqual(found)
  })

  it('stores no result of more than 64 KiB', async () => {
    const layout = place()
    const cache = findingsCache(layout)
    cache.set('long', [{ name: 'link', what: 'x'.repeat(65_536) }])
    cache.set('short', [{ name: 'link', what: 'x' }])
    await vi.waitFor(() => expect(readFileSync(layout.findings, 'utf8')).toContain('short'))
    expect(['long', 'short'].map((key) => cache.get(key))).toEqual([undefined, [{ name: 'link', what: 'x' }]])
    expect(readFileSync(layout.findings, 'utf8')).not.toContain('long')
  })
})

it('the cache of findings stays small, whatever the files contain', async () => {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  mkdirSync(`${root}/state`)
  const layout = layoutOf(root, `${root}/state`)
  const cache = findingsCache(layout)
  for (let n = 0; n < 200; n++) cache.set(`key-${n}`, [{ name: 'link', what: 'x'.repeat(60_000) }])
  await vi.waitFor(() => expect(readFileSync(layout.findings, 'utf8')).toContain('key-199'))
  expect([cache.get('key-0'), cache.get('key-199')]).toEqual([undefined, [expect.anything()]])
  expect(readFileSync(layout.findings).length).toBeLessThan(9 * 1024 * 1024)
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
