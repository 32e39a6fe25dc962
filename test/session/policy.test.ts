import { existsSync, rmSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { scene } from '../attacks/kit.js'
import { trust } from '../support/trust.js'

/** Files that a person writes into .orchestration, as a session reads them. */

const fails = (reason: string, message?: RegExp) =>
  expect.objectContaining({ reason, ...(message && { message: expect.stringMatching(message) }) })

const TWO = `active_intents:
  - {id: INT-001, name: First, status: IN_PROGRESS, owned_scope: ["src/**"]}
  - {id: INT-002, name: Second, status: DRAFT, owned_scope: ["lib/**"], depends_on: [INT-001]}
  - {id: INT-003, name: Third, status: DRAFT, owned_scope: ["lib/**"], depends_on: [INT-009]}
`

describe('an intent that depends on another', () => {
  it('can be selected once the other is completed', async () => {
    const { open } = scene({}, TWO)
    const workspace = await open()
    const session = await workspace.session({ id: 'one' })
    const refused = fails('intent_not_active', /INT-002 depends on INT-001, which is IN_PROGRESS\..*: INT-001\./)
    await expect(session.selectIntent('INT-002')).rejects.toEqual(refused)
    await expect(session.selectIntent('INT-003')).rejects.toEqual(
      fails('intent_not_active', /INT-009, which is not declared/),
    )
    await workspace.intents.complete('INT-001')
    await session.selectIntent('INT-002')
    expect(session.intent?.id).toBe('INT-002')
  })
})

describe('.intentignore', () => {
  it.each(['.intentignore', '.orchestration/.intentignore'])(
    'in %s disables an intent, and enables it again',
    async (file) => {
      const { at, open, agent, root, write } = scene({}, TWO)
      const workspace = await open()
      const session = await agent(workspace)
      session.fs.mkdirSync(at('src'))
      write(file, '# off for now\nINT-001\n')
      expect(() => session.fs.writeFileSync(at('src/a.ts'), 'x')).toThrow(fails('intent_ignored', /switched off/))
      await expect(session.selectIntent('INT-001')).rejects.toEqual(fails('intent_ignored'))
      await expect(workspace.intents.select('INT-001')).rejects.toEqual(fails('intent_ignored'))
      rmSync(at(file))
      // Until a person accepts the change, the accepted text still disables it.
      await expect(session.selectIntent('INT-001')).rejects.toEqual(fails('intent_ignored'))
      trust(root)
      await new Promise((next) => setImmediate(next))
      session.fs.writeFileSync(at('src/a.ts'), 'x')
    },
  )

  it('frees paths of intent and scope: they are staged, reviewed, committed, and attributed to nobody', async () => {
    const { root, at, open, write, read } = scene({ '.intentignore': 'notes/\n*.log\n', 'notes/a.md': 'old' })
    const workspace = await open()
    const session = await workspace.session({ id: 'one' })
    session.fs.writeFileSync(at('notes/a.md'), 'new')
    session.fs.writeFileSync(at('run.log'), 'line')
    session.fs.mkdirSync(at('notes/deep/er'), { recursive: true })
    expect(read('notes/a.md')).toBe('old')
    expect(() => session.fs.writeFileSync(at('src.ts'), 'x')).toThrow(fails('missing_intent_id'))
    expect(() => session.fs.writeFileSync(at('notes/.git/config'), 'x')).toThrow(fails('protected_path'))
    write('.orchestration/policy.yaml', 'access: {notes/secret: deny}\n')
    expect(() => session.fs.writeFileSync(at('notes/secret'), 'x')).toThrow(fails('access_denied'))
    await session.flush()
    const review = await workspace.review('one')
    await review.approve(undefined, { name: 'Ada' })
    const { committed } = await review.commit()
    expect(committed).toEqual(expect.arrayContaining(['notes/a.md', 'run.log']))
    expect(read('notes/a.md')).toBe('new')
    const records = []
    for await (const record of workspace.ledger.records()) records.push(record)
    const commit = records.find((record) => JSON.stringify(record).includes('"type":"commit"'))
    expect(commit).toMatchObject({ files: [] })
    expect(existsSync(`${root}/run.log`)).toBe(true)
  })

  it('denies every write while it cannot be read', async () => {
    const { at, open, agent, write } = scene({ 'src/a.ts': 'x' })
    const session = await agent(await open())
    write('.intentignore', '\xff'.repeat(100_000))
    expect(() => session.fs.writeFileSync(at('src/a.ts'), 'y')).toThrow(fails('policy_invalid', /\.intentignore/))
  })
})

describe('settings of policy.yaml', () => {
  it('locks.require_read requires a read before an overwrite', async () => {
    const files = { 'src/a.ts': 'x', 'src/b.ts': 'x', '.orchestration/policy.yaml': 'locks: {require_read: true}\n' }
    const { at, open, agent } = scene(files)
    const session = await agent(await open())
    const { fs } = session
    expect(() => fs.writeFileSync(at('src/a.ts'), 'y')).toThrow(fails('stale_file', /never read/))
    expect(() => fs.renameSync(at('src/b.ts'), at('src/a.ts'))).toThrow(fails('stale_file', /never read/))
    fs.readFileSync(at('src/a.ts'))
    fs.writeFileSync(at('src/a.ts'), 'y')
    fs.writeFileSync(at('src/a.ts'), 'z')
    fs.writeFileSync(at('src/new.ts'), 'y')
    fs.renameSync(at('src/b.ts'), at('src/c.ts'))
  })

  it('limits.files limits the staged paths', async () => {
    const { at, open, agent, release, write } = scene({ 'src/a.ts': 'x' })
    write('.orchestration/policy.yaml', 'limits: {files: 3}\n')
    const session = await agent(await open())
    const { fs } = session
    for (const name of ['a', 'b', 'c']) fs.writeFileSync(at(`src/${name}.ts`), 'y')
    const writeOverLimit = () => fs.writeFileSync(at('src/d.ts'), 'y')
    expect(writeOverLimit).toThrow(fails('limit_exceeded', /3 paths are staged/))
    expect(writeOverLimit).toThrow(expect.objectContaining({ code: 'EDQUOT' }))
    fs.writeFileSync(at('src/a.ts'), 'again')
    await session.flush()
    await release(session.id)
    await session.flush()
    fs.writeFileSync(at('src/d.ts'), 'y')
  })

  it('limits.files counts files and links, and removed paths, but no new directory', async () => {
    const { at, open, agent, write } = scene({ 'src/a.ts': 'x', 'src/b.ts': 'x' })
    write('.orchestration/policy.yaml', 'limits: {files: 3}\n')
    const { fs } = await agent(await open())
    fs.mkdirSync(at('src/x/y/z'), { recursive: true })
    fs.writeFileSync(at('src/x/y/z/new.ts'), 'y')
    fs.symlinkSync('a.ts', at('src/link.ts'))
    fs.rmSync(at('src/b.ts'))
    fs.mkdirSync(at('src/empty'))
    expect(() => fs.writeFileSync(at('src/d.ts'), 'y')).toThrow(
      fails('limit_exceeded', /3 paths are staged, without new directories/),
    )
  })

  it('limits.files counts writes of tool calls, and a return to a snapshot lowers the count', async () => {
    const { at, open, agent, write } = scene({ 'src/a.ts': 'x' })
    write('.orchestration/policy.yaml', 'limits: {files: 2}\n')
    const session = await agent(await open())
    const call = (name: string) =>
      session.toolCall({ id: name, tool: 'write', kind: 'edit' }, () =>
        session.fs.writeFileSync(at(`src/${name}.ts`), 'y'),
      )
    await call('a')
    await call('b')
    await expect(call('c')).rejects.toEqual(fails('limit_exceeded', /2 paths are staged/))
    const before = (await session.snapshots()).find(({ callId }) => callId === 'b')
    await session.travel(before?.id ?? '')
    await call('c')
    await expect(call('d')).rejects.toEqual(fails('limit_exceeded'))
  })

  it('limits.bytes limits the staged content of every kind of call', async () => {
    const big = 'x'.repeat(600)
    const { at, open, agent, release, write, read } = scene({ 'src/a.ts': 'x', 'src/big.ts': big })
    write('.orchestration/policy.yaml', 'limits: {bytes: 1000}\n')
    const workspace = await open()
    const session = await agent(workspace)
    const { fs } = session
    fs.writeFileSync(at('src/a.ts'), big)
    const over = [
      () => fs.writeFileSync(at('src/b.ts'), big),
      () => fs.appendFileSync(at('src/a.ts'), big),
      () => fs.truncateSync(at('src/a.ts'), 1001),
      () => fs.copyFileSync(at('src/a.ts'), at('src/c.ts')),
      () => fs.renameSync(at('src/big.ts'), at('src/moved.ts')),
      () => fs.chmodSync(at('src/big.ts'), 0o600),
    ]
    for (const call of over) expect(call).toThrow(fails('limit_exceeded', /limits\.bytes in policy\.yaml allows 1000/))
    const stream = fs.createWriteStream(at('src/s.ts'))
    const failing = new Promise((resolve) => stream.on('error', resolve))
    stream.end(big)
    expect(await failing).toMatchObject({ code: 'EDQUOT', reason: 'limit_exceeded' })
    fs.writeFileSync(at('src/a.ts'), big.replace('x', 'y'))
    fs.linkSync(at('src/a.ts'), at('src/again.ts'))
    fs.writeFileSync(at('src/b.ts'), 'x'.repeat(400))
    fs.unlinkSync(at('src/b.ts'))
    await session.flush()
    await release(session.id)
    expect(read('src/a.ts')).toHaveLength(600)
    expect(read('src/big.ts')).toBe(big)
    await session.flush()
    fs.writeFileSync(at('src/d.ts'), big)
    await session.close()
    const again = await agent(await open())
    expect(() => again.fs.writeFileSync(at('src/e.ts'), big)).toThrow(fails('limit_exceeded'))
  })

  it('limits.ops_per_minute limits the paths written in a minute', async () => {
    const { at, open, agent, write } = scene({ 'src/a.ts': 'x' })
    write('.orchestration/policy.yaml', 'limits: {ops_per_minute: 5}\n')
    const { fs } = await agent(await open())
    for (let attempt = 0; attempt < 5; attempt++) fs.writeFileSync(at('src/a.ts'), `${attempt}`)
    expect(() => fs.writeFileSync(at('src/a.ts'), 'y')).toThrow(fails('limit_exceeded', /last minute/))
    expect(fs.readFileSync(at('src/a.ts'), 'utf8')).toBe('4')
  })

  it('limits.ops_per_minute counts a write of a tool call once, announced or not', async () => {
    const { at, open, agent, write } = scene({ 'src/a.ts': 'x' })
    write('.orchestration/policy.yaml', 'limits: {ops_per_minute: 2}\n')
    const session = await agent(await open())
    const call = (content: string) => {
      const writes = [{ path: at('src/a.ts'), effect: 'put' as const }]
      return session.toolCall({ tool: 'write', kind: 'edit', writes }, () =>
        session.fs.writeFileSync(at('src/a.ts'), content),
      )
    }
    await call('1')
    await call('2')
    await expect(call('3')).rejects.toEqual(fails('limit_exceeded', /2 paths were written in the last minute/))
    expect(session.fs.readFileSync(at('src/a.ts'), 'utf8')).toBe('2')
  })
})
