import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Database } from '../../src/hub/sql.js'
import { Clone } from '../../src/landing/clone.js'
import { git } from '../support/git.js'
import { landingKit } from './kit.js'

const DIRECTORY = 'packages/shop'
const FILES = { 'packages/shop/src/a.ts': 'a\n', 'packages/other/src/a.ts': 'other\n', 'src/a.ts': 'top\n' }

/** Landing for a workspace that is a directory of its repository. */
export function describeDirectories(database: () => Database): void {
  it('lands below the directory of the workspace, and nowhere else', async () => {
    const kit = await landingKit(database(), FILES, [], DIRECTORY)
    await kit.approve('laptop.one', kit.change('src/a.ts', 'a\n', 'A\n'), kit.change('src/new.ts', null, 'new\n'))
    await kit.work1()
    await kit.approve(
      'laptop.two',
      kit.change('src/a.ts', 'A\n', null),
      kit.change('../other/src/a.ts', 'other\n', 'x\n'),
    )
    await kit.approve(
      'laptop.three',
      kit.change('src/moved.ts', 'new\n', 'new\n', { kind: 'rename', from: 'src/new.ts' }),
    )
    await kit.work1()
    const { 'laptop.one': one, 'laptop.two': two, 'laptop.three': three } = await kit.landings()
    expect([one?.state, two?.state, three?.state]).toEqual(['landed', 'evicted', 'landed'])
    expect(two?.reason).toContain('it is not a path within the repository')
    expect(kit.files().sort()).toEqual([
      'packages/other/src/a.ts',
      'packages/shop/src/a.ts',
      'packages/shop/src/moved.ts',
      'src/a.ts',
    ])
    expect(kit.read('packages/shop/src/a.ts')).toBe('A\n')
    expect([kit.read('src/a.ts'), kit.read('packages/other/src/a.ts')]).toEqual(['top\n', 'other\n'])
  })

  it('runs the checks in the directory, with the whole repository around it', async () => {
    const run = 'grep -q A src/a.ts && grep -q top ../../src/a.ts || { echo in $PWD; exit 3; }'
    const kit = await landingKit(database(), FILES, [{ run }], DIRECTORY)
    await kit.approve('laptop.one', kit.change('src/a.ts', 'a\n', 'b\n'))
    await kit.work1()
    await kit.approve('laptop.two', kit.change('src/a.ts', 'a\n', 'A\n'))
    await kit.work1()
    const { 'laptop.one': one, 'laptop.two': two } = await kit.landings()
    expect(one?.reason).toMatch(/in \/.*\/packages\/shop\n?$/)
    expect(two).toMatchObject({ state: 'landed' })
  })

  it('uses the intents and attributes of the directory', async () => {
    const intents = `active_intents:
  - id: INT-001
    name: Shop
    status: IN_PROGRESS
    owned_scope: [src/**]
    acceptance_criteria:
      - run: echo from the intent; exit 4
`
    const files = {
      ...FILES,
      'packages/shop/.orchestration/active_intents.yaml': intents,
      '.gitattributes': 'packages/shop/src/*.bin filter=lfs\n',
    }
    const kit = await landingKit(database(), files, [], DIRECTORY)
    await kit.approve('laptop.one', kit.change('src/a.ts', 'a\n', 'A\n', { intent: 'INT-001' }))
    await kit.approve('laptop.two', kit.change('src/x.bin', null, 'x\n'))
    await kit.approve('laptop.three', kit.change('.orchestration/active_intents.yaml', intents, 'x\n'))
    await kit.work1()
    const { 'laptop.one': one, 'laptop.two': two, 'laptop.three': three } = await kit.landings()
    expect(one?.reason).toContain('from the intent')
    expect(two?.reason).toContain('src/x.bin has the git attribute filter')
    expect(three?.reason).toContain('committed by a person')
  })

  it('lands nothing if the branch has no such directory, and says so', async () => {
    const kit = await landingKit(database(), FILES, [], 'packages/gone')
    await kit.approve('laptop.one', kit.change('src/a.ts', null, 'A\n'))
    expect(await kit.work1()).toMatchObject([{ kind: 'problem', message: 'main has no directory packages/gone.' }])
    expect(await kit.stores.landings.repository()).toMatchObject({ problem: 'main has no directory packages/gone.' })
    expect((await kit.landings())['laptop.one']).toMatchObject({ state: 'waiting' })
  })

  it('follows no link of the branch in place of the directory', async () => {
    const kit = await landingKit(database(), FILES, [], 'link')
    kit.pushSpecial()
    await kit.approve('laptop.one', kit.change('src/a.ts', 'a\n', 'A\n'))
    expect(await kit.work1()).toMatchObject([{ kind: 'problem', message: 'main has no directory link.' }])
    expect(kit.read('src/a.ts')).toBe('top\n')
  })

  it('lands in a repository with SHA-256 ids, also after an earlier version had made a clone with SHA-1', async () => {
    vi.stubEnv('GIT_DEFAULT_HASH', 'sha256')
    const kit = await landingKit(database(), FILES, [{ run: 'grep -q A src/a.ts' }]).finally(() => vi.unstubAllEnvs())
    expect(kit.run('rev-parse', 'main').trim()).toHaveLength(64)
    await kit.approve('laptop.one', kit.change('src/a.ts', 'top\n', 'A\n'))
    expect(await kit.work1()).toMatchObject([{ kind: 'ended', end: { state: 'landed' } }])
    expect(kit.read('src/a.ts')).toBe('A\n')
    const [clone = ''] = readdirSync(kit.work).filter((name) => name !== 'locks')
    rmSync(join(kit.work, clone), { recursive: true })
    git(kit.work, 'init', '-q', '--bare', clone)
    await kit.approve('laptop.two', kit.change('src/b.ts', null, 'b\n'))
    expect(await kit.work1()).toMatchObject([{ kind: 'ended', end: { state: 'landed' } }])
  })

  it("finds what it has landed under any settings of the worker's git", async () => {
    const kit = await landingKit(database(), FILES)
    await kit.approve('laptop.one', kit.change('src/a.ts', 'top\n', 'A\n'))
    await kit.work1()
    const { id = '', commit } = (await kit.landings())['laptop.one'] ?? {}
    const config = join(kit.work, 'config')
    writeFileSync(config, '[grep]\n\tpatternType = fixed\n[log]\n\tshowSignature = true\n[trailer]\n\tseparators = =\n')
    vi.stubEnv('GIT_CONFIG_GLOBAL', config)
    onTestFinished(() => void vi.unstubAllEnvs())
    const repository = Object.assign({ url: kit.remote, branch: 'main', directory: '' }, kit.scope)
    const clone = Clone.open(kit.work, repository as never)
    expect(clone.landed(clone.fetch(), [id])).toEqual(new Map([[id, commit]]))
  })
}
