import { beforeEach, describe, expect, it } from 'vitest'
import type { Change } from '../../src/index.js'
import { type Scene, scene } from '../attacks/kit.js'
import { escrowAt } from './real.js'

const LINES = Array.from({ length: 100 }, (_, n) => `line ${n}\n`).join('')

let fixture: Scene
const diff = (...argv: string[]) => escrowAt(fixture.root, ['diff', ...argv])

async function stage(id: string, files: Readonly<Record<string, string | null>>): Promise<void> {
  const workspace = await fixture.open()
  const { fs } = await fixture.agent(workspace, id)
  for (const [path, text] of Object.entries(files)) {
    fs.mkdirSync(fixture.at(path.slice(0, path.lastIndexOf('/'))), { recursive: true })
    if (text === null) fs.rmSync(fixture.at(path))
    else fs.writeFileSync(fixture.at(path), text)
  }
  await workspace.close()
}

beforeEach(() => {
  fixture = scene({ 'src/a.ts': 'a\nb\nc\n', 'src/old.ts': 'old\n', 'src/big.ts': '' })
})

describe('diff without a session', () => {
  it('shows the only one with staged changes', async () => {
    await stage('empty', {})
    await stage('agent', { 'src/a.ts': 'a\nB\nc\n' })
    expect(await diff()).toMatchObject({ code: 0, out: expect.stringContaining('+++ b/src/a.ts') })
    expect((await diff('src/a.ts')).out).toContain('+++ b/src/a.ts')
  })

  it('refuses to choose among several', async () => {
    await stage('one', { 'src/a.ts': '1\n' })
    await stage('two', { 'src/a.ts': '2\n', 'src/b.ts': '2\n' })
    const { code, err } = await diff()
    expect([code, err]).toEqual([1, expect.stringContaining('one (1 change), two (2 changes)')])
    expect((await diff('two', '--name-only')).out).toBe('src/a.ts\nsrc/b.ts\n')
  })

  it('reports that there is none', async () => {
    expect(await diff()).toMatchObject({
      code: 1,
      err: expect.stringContaining("There is no session yet. (nothing_selected)\n'escrow start' starts one."),
    })
  })

  it('suggests a session for a mistyped id', async () => {
    await stage('agent', { 'src/a.ts': '1\n' })
    expect((await diff('agnet')).err).toContain("Did you mean 'agent'?")
  })
})

describe('diff with paths', () => {
  beforeEach(() => stage('src', { 'src/a.ts': 'a\nB\nc\n', 'src/sub/new.ts': 'n\n', 'src/old.ts': null }))
  const names = async (...argv: string[]) => (await diff('--name-only', ...argv)).out.trimEnd().split('\n')

  it('shows the paths, everything below them, and glob matches', async () => {
    expect(await names('src', 'src/sub')).toEqual(['src/sub/new.ts'])
    expect(await names('src', 'src/**/*.ts')).toEqual(['src/old.ts', 'src/a.ts', 'src/sub/new.ts'])
    expect(await names('src', '.')).toHaveLength(3)
    expect(await names('src', fixture.at('src/a.ts'))).toEqual(['src/a.ts'])
  })

  it('reads words after -- as paths, and the first word before it as the session', async () => {
    expect(await names('--', 'src')).toHaveLength(3)
    expect(await names('src', '--', 'src/a.ts')).toEqual(['src/a.ts'])
  })

  it('refuses a path that matches nothing', async () => {
    const { code, out, err } = await diff('src', 'lib/a.ts')
    expect([code, out, err]).toEqual([1, '', expect.stringContaining("Nothing staged matches 'lib/a.ts'.")])
  })

  it('filters the JSON document too, and keeps the digest of the whole set', async () => {
    const [all, some] = [await diff('src', '--json'), await diff('src', 'src/a.ts', '--json')].map(({ out }) =>
      JSON.parse(out),
    )
    expect(some.digest).toBe(all.digest)
    expect(some.changes.map(({ path }: { path: string }) => path)).toEqual(['src/a.ts'])
  })
})

describe('diff summaries', () => {
  beforeEach(() => stage('agent', { 'src/a.ts': 'a\nB\nc\nd\n', 'src/big.ts': LINES, 'src/old.ts': null }))

  it('counts lines', async () => {
    expect((await diff('--stat')).out).toBe(
      [
        ' src/old.ts |   1 -',
        ' src/a.ts   |   3 +-',
        ` src/big.ts | 100 ${'+'.repeat(40)}`,
        ' 3 files changed, 102 insertions(+), 2 deletions(-)',
        '',
      ].join('\n'),
    )
  })

  it('shows the kind of change of each path', async () => {
    expect((await diff('--name-status')).out).toBe('D\tsrc/old.ts\nM\tsrc/a.ts\nM\tsrc/big.ts\n')
  })
})

it('diff --stat and --name-status show a label for changes without lines', async () => {
  const workspace = await fixture.open()
  const { fs } = await fixture.agent(workspace, 'agent')
  fs.renameSync(fixture.at('src/a.ts'), fixture.at('src/moved.ts'))
  fs.chmodSync(fixture.at('src/old.ts'), 0o755)
  fs.writeFileSync(fixture.at('src/logo.bin'), Buffer.from([0, 1, 2]))
  await workspace.close()
  const { out } = await diff('--stat')
  expect(out).toMatch(/^ src\/a\.ts => src\/moved\.ts \| 0$/m)
  expect(out).toMatch(/^ src\/old\.ts +\| mode 644 => 755$/m)
  expect(out).toMatch(/^ src\/logo\.bin +\| binary$/m)
  expect((await diff('--name-status')).out).toMatch(/^R\tsrc\/a\.ts\tsrc\/moved\.ts$/m)
})

describe('diff --by risk', () => {
  it('shows the riskiest facts first, each with its place, and prints them as JSON', async () => {
    await stage('agent', { 'src/a.ts': 'a\nb\nc\nd\n', 'src/z.ts': 'eval(x)\n', 'src/z.test.ts': 'z\n' })
    const { out } = await diff('--by', 'risk')
    expect(out.indexOf('# src/z.ts')).toBeLessThan(out.indexOf('# src/a.ts'))
    expect(out).toContain('== Stop: understand these before you approve ==\n')
    expect(out).toContain('! stop: A text runs as code: `eval(x)`. (line 1)\n')
    const { changes } = JSON.parse((await diff('--by', 'risk', '--json')).out)
    expect(changes.map(({ path, risk }: Change) => [path, risk?.level])).toEqual([
      ['src/z.ts', 'stop'],
      ['src/a.ts', 'none'],
      ['src/z.test.ts', 'none'],
    ])
    expect(JSON.parse((await diff('--json')).out).changes[0].risk).toBeUndefined()
  })

  it('is printed first by status for a small session', async () => {
    await stage('agent', { 'src/z.ts': 'eval(x)\n' })
    const { out } = await escrowAt(fixture.root, ['status'])
    expect(out).toContain(
      "Look first ('escrow diff SESSION --by risk')\n  agent  src/z.ts:1  stop: A text runs as code: `eval(x)`.\n",
    )
    await stage('agent', Object.fromEntries(Array.from({ length: 25 }, (_, n) => [`src/n${n}.ts`, 'a\n'])))
    expect((await escrowAt(fixture.root, ['status'])).out).not.toContain('Look first')
  })
})
