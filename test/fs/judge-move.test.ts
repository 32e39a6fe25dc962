import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { scene } from '../attacks/kit.js'

/** A directory moves with all its entries, and none of them leaves its place if it must not. */

const fails = (reason: string) => expect.objectContaining({ reason })
/** More entries than are checked under a single rule. */
const MANY = 600

function many(dir: string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: MANY }, (_, n) => [`${dir}/f${n}.ts`, `${n}`]))
}

describe('a tree under one rule', () => {
  it.each([
    ['.git/config', 'protected_path'],
    ['deep/er/.git', 'protected_path'],
    ['AGENTS.md', 'protected_path'],
    ['.npmrc', 'protected_path'],
  ])('with %s in it is not moved', async (name, reason) => {
    const { at, open, agent } = scene({ 'src/pkg/a.ts': 'a', [`src/pkg/${name}`]: 'x' })
    const session = await agent(await open())
    expect(() => session.fs.renameSync(at('src/pkg'), at('src/other'))).toThrow(fails(reason))
    expect((await session.changes()).changes).toEqual([])
  })

  it('is not moved if a name in it would be protected', async () => {
    const { at, open, agent } = scene({ 'src/hub/workflows/run.yml': 'x' })
    const session = await agent(await open())
    expect(() => session.fs.renameSync(at('src/hub'), at('src/.github'))).toThrow(fails('protected_path'))
  })

  it('is not moved with a link that would point out of the workspace from its new place', async () => {
    const { root, at, open, agent } = scene({ 'src/a/b/x.ts': 'x' })
    fs.symlinkSync('../../..', `${root}/src/a/b/up`)
    const session = await agent(await open())
    expect(() => session.fs.renameSync(at('src/a/b'), at('src/b'))).toThrow(fails('path_escape'))
  })

  it('is not moved with a file that changed since the model saw it', async () => {
    const { at, open, agent, write } = scene({ 'src/a/x.ts': 'one', 'src/a/y.ts': 'one' })
    const session = await agent(await open())
    session.fs.readFileSync(at('src/a/x.ts'))
    write('src/a/x.ts', 'another')
    expect(() => session.fs.renameSync(at('src/a'), at('src/b'))).toThrow(fails('stale_file'))
    session.fs.readFileSync(at('src/a/x.ts'))
    session.fs.renameSync(at('src/a'), at('src/b'))
    write('src/a/y.ts', 'another')
    session.fs.readFileSync(at('src/b/y.ts'))
    write('src/a/y.ts', 'a third')
    expect(() => session.fs.renameSync(at('src/b'), at('src/c'))).toThrow(fails('stale_file'))
  })

  it('is refused once for a rejected file in it', async () => {
    const { at, open, agent } = scene({ 'src/a/x.ts': 'one' })
    const workspace = await open()
    const session = await agent(workspace)
    session.fs.writeFileSync(at('src/a/x.ts'), 'two')
    await session.flush()
    const review = await workspace.review(session.id)
    await review.reject('src/a/x.ts', 'Not like this.', { name: 'Ada' })
    await session.flush()
    expect(() => session.fs.renameSync(at('src/a'), at('src/b'))).toThrow(fails('user_rejected'))
    session.fs.renameSync(at('src/a'), at('src/b'))
  })

  it('with many files moves at once, and protected paths deep in it are shown in review and never committed', async () => {
    const { root, at, open, agent, exists } = scene({ ...many('src/big/a'), 'src/big/z/.git/config': 'x' })
    const workspace = await open()
    const session = await agent(workspace)
    session.fs.renameSync(at('src/big'), at('src/moved'))
    expect(session.fs.readFileSync(at('src/moved/a/f7.ts'), 'utf8')).toBe('7')
    const inner = () => session.fs.writeFileSync(at('src/moved/z/.git/config'), 'mine')
    expect(inner).toThrow(fails('protected_path'))
    const review = await workspace.review(session.id)
    const { changes } = await review.changes()
    const protectedPaths = changes.filter(({ flags }) => flags.includes('protected')).map(({ path }) => path)
    expect(protectedPaths).toEqual(['src/moved/z/.git/config'])
    await review.approve(undefined, { name: 'Ada' })
    await expect(review.commit()).rejects.toMatchObject({
      refused: expect.arrayContaining([expect.objectContaining({ reason: 'protected_path' })]),
    })
    expect(exists('src/moved')).toBe(false)
    expect(fs.readdirSync(`${root}/src/big/a`)).toHaveLength(MANY)
  }, 60_000)
})

describe('a tree with different rules', () => {
  const INTENTS = (scope: string) => `active_intents:
  - {id: INT-001, name: Work, status: IN_PROGRESS, owned_scope: [${scope}]}
`

  it.each([
    ['"src/**", "!src/a/z/keep.ts"', 'scope_violation'],
    ['"src/**/*.ts"', 'scope_violation'],
    ['"src/**", "!**/keep.ts"', 'scope_violation'],
  ])(
    'is judged entry by entry: scope %s',
    async (scope, reason) => {
      const files = { ...many('src/a/b'), 'src/a/z/keep.ts': 'x', 'src/a/z/notes.md': 'x' }
      const { at, open, agent } = scene(files, INTENTS(scope))
      const session = await agent(await open())
      expect(() => session.fs.renameSync(at('src/a'), at('src/c'))).toThrow(fails(reason))
    },
    60_000,
  )

  it.each([
    ['access: {src/a/z/secret.env: hidden}', 'access_denied'],
    ['access: {"**/*.env": deny}', 'access_denied'],
    ['protected: [src/a/z/secret.env]', 'protected_path'],
  ])(
    'is judged entry by entry: %s',
    async (policy, reason) => {
      const { at, open, agent, write } = scene({ ...many('src/a/b'), 'src/a/z/secret.env': 'x' })
      write('.orchestration/policy.yaml', `${policy}\n`)
      const session = await agent(await open())
      expect(() => session.fs.renameSync(at('src/a'), at('src/c'))).toThrow(fails(reason))
      expect(session.fs.existsSync(at('src/c'))).toBe(false)
    },
    60_000,
  )
})
