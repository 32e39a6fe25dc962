import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type Answer, openWorkspace, type Question, type Workspace } from '../../src/index.js'
import { scene } from '../attacks/kit.js'

/** An agent's questions to people: posted once, answered in any process, delivered at the next call. */

const ASK = { '.orchestration/policy.yaml': 'access: {src/db: ask, src/db/seed.sql: allow}\n' }
const ADA = { name: 'Ada' }
const fails = (reason: string, message?: RegExp) =>
  expect.objectContaining({ reason, ...(message && { message: expect.stringMatching(message) }) })

async function openQuestions(workspace: Workspace, id = 'one'): Promise<Question[]> {
  return (await workspace.review(id)).questions()
}

/** Answers as another process does. */
async function answer(root: string, word: Answer['answer'], words?: string, id = 'one', remember = false) {
  const workspace = await openWorkspace(root)
  try {
    const review = await workspace.review(id)
    for (const question of await review.questions())
      await review.answer(question.id, { answer: word, by: ADA, remember, ...(words !== undefined && { words }) })
  } finally {
    await workspace.close()
  }
}

const ledgerOf = async (workspace: Workspace) => {
  const all: string[] = []
  for await (const record of workspace.ledger.records()) all.push(JSON.stringify(record))
  return all
}

describe('an `ask` rule', () => {
  it('refuses a write and asks once; more specific rules still apply', async () => {
    const { at, open, agent } = scene({ ...ASK, 'src/db/a.sql': 'x', 'src/db/seed.sql': 'x' })
    const workspace = await open()
    const session = await agent(workspace)
    const write = () => session.fs.writeFileSync(at('src/db/a.sql'), 'y')
    expect(write).toThrow(fails('needs_approval'))
    expect(write).toThrow(fails('needs_approval'))
    expect(session.fs.readFileSync(at('src/db/a.sql'), 'utf8')).toBe('x')
    session.fs.writeFileSync(at('src/db/seed.sql'), 'y')
    await session.flush()
    expect(await openQuestions(workspace)).toMatchObject([
      { kind: 'access', path: 'src/db/a.sql', rule: 'src/db', intentId: 'INT-001' },
    ])
  })

  it('allow: the path can be written from then on, and the agent gets feedback', async () => {
    const { root, at, open, agent } = scene({ ...ASK, 'src/db/a.sql': 'x' })
    const workspace = await open()
    const session = await agent(workspace)
    expect(() => session.fs.writeFileSync(at('src/db/a.sql'), 'y')).toThrow(fails('needs_approval'))
    await session.flush()
    await answer(root, 'allow')
    expect(await session.feedback()).toMatchObject([{ kind: 'granted', path: 'src/db/a.sql', by: ADA }])
    expect(await session.feedback()).toEqual([])
    session.fs.writeFileSync(at('src/db/a.sql'), 'y')
    expect(() => session.fs.writeFileSync(at('src/db/b.sql'), 'y')).toThrow(fails('needs_approval'))
    expect((await openQuestions(workspace)).map((each) => each.kind === 'access' && each.path)).toEqual([
      'src/db/b.sql',
    ])
    expect(
      (await ledgerOf(workspace)).some((line) => line.includes('"verdict":"approved"') && line.includes('Ada')),
    ).toBe(true)
    await session.close()
    const again = await agent(await open())
    again.fs.writeFileSync(at('src/db/a.sql'), 'z')
  })

  it('applies an answer for a directory only to the directory: it is not moved with its contents', async () => {
    const rule = { '.orchestration/policy.yaml': 'access: {src/db: ask}\n' }
    const { root, at, open, agent } = scene({ ...rule, 'src/db/a.sql': 'x' })
    const session = await agent(await open())
    const move = () => session.fs.renameSync(at('src/db'), at('src/data'))
    expect(move).toThrow(fails('needs_approval'))
    await session.flush()
    await answer(root, 'allow')
    await session.flush()
    expect(move).toThrow(fails('needs_approval', /src\/db\/a\.sql/))
  })

  it('subtree: opens the directory, but nothing that another rule closes', async () => {
    const { root, at, open, agent } = scene({ ...ASK, 'src/db/a.sql': 'x' })
    const session = await agent(await open())
    expect(() => session.fs.writeFileSync(at('src/db/a.sql'), 'y')).toThrow(fails('needs_approval'))
    await session.flush()
    await answer(root, 'subtree')
    await session.flush()
    session.fs.mkdirSync(at('src/db/deep'))
    session.fs.writeFileSync(at('src/db/deep/b.sql'), 'y')
    expect(() => session.fs.writeFileSync(at('src/db/.git'), 'y')).toThrow(fails('protected_path'))
    await session.selectIntent(null)
    expect(() => session.fs.writeFileSync(at('src/db/a.sql'), 'y')).toThrow(fails('missing_intent_id'))
  })

  it('subtree: also answers the questions about other files of the directory', async () => {
    const { at, open, agent } = scene({
      ...{ 'src/db/a.sql': 'x', 'src/up/a.sql': 'x' },
      '.orchestration/policy.yaml': 'access: {src/db: ask, src/up: ask}\n',
    })
    const workspace = await open()
    const session = await agent(workspace)
    const write = (path: string) => () => session.fs.writeFileSync(at(path), 'y')
    for (const path of ['src/db/a.sql', 'src/db/b.sql', 'src/up/a.sql'])
      expect(write(path)).toThrow(fails('needs_approval'))
    await session.flush()
    const review = await workspace.review('one')
    const [, second] = await review.questions()
    await review.answer(second?.id ?? '', { answer: 'subtree', by: ADA })
    expect(await review.questions()).toMatchObject([{ path: 'src/up/a.sql' }])
    await session.flush()
    write('src/db/a.sql')()
    expect(write('src/up/b.sql')).toThrow(fails('needs_approval'))
    await session.flush()
    expect(await openQuestions(workspace)).toMatchObject([{ path: 'src/up/a.sql' }, { path: 'src/up/b.sql' }])
  })

  it('once: covers the tool call that uses it', async () => {
    const { root, at, open, agent } = scene({ ...ASK, 'src/db/a.sql': 'x' })
    const session = await agent(await open())
    const call = (text: string) =>
      session.toolCall({ tool: 'edit', kind: 'edit', writes: [{ path: at('src/db/a.sql'), effect: 'put' }] }, () => {
        session.fs.writeFileSync(at('src/db/a.sql'), text)
        session.fs.appendFileSync(at('src/db/a.sql'), '!')
      })
    await expect(call('y')).rejects.toEqual(fails('needs_approval'))
    await answer(root, 'once')
    await call('y')
    expect(session.fs.readFileSync(at('src/db/a.sql'), 'utf8')).toBe('y!')
    await expect(call('z')).rejects.toEqual(fails('needs_approval'))
    await session.close()
    const again = await agent(await open())
    expect(() => again.fs.writeFileSync(at('src/db/a.sql'), 'z')).toThrow(fails('needs_approval'))
  })

  it.each(['once', 'allow', 'subtree'] as const)(
    '%s for a file: its missing directories may be created',
    async (word) => {
      const { root, at, open, agent } = scene({ '.orchestration/policy.yaml': 'access: {src/db: ask}\n' })
      const session = await agent(await open())
      const write = () => session.fs.writeFileSync(at('src/db/new/deep/a.sql'), 'y')
      const make = (dir: string) => session.fs.mkdirSync(at(dir), { recursive: true })
      expect(write).toThrow(fails('needs_approval', /a\.sql/))
      await session.flush()
      await answer(root, word)
      await session.flush()
      make('src/db/new/deep')
      for (const dir of ['src/db/other', 'src/db/new/deeper'])
        expect(() => make(dir), dir).toThrow(fails('needs_approval'))
      expect(() => session.fs.rmdirSync(at('src/db/new'))).toThrow(fails('needs_approval'))
      expect(() => session.fs.chmodSync(at('src/db/new'), 0o700)).toThrow(fails('needs_approval'))
      expect(() => session.fs.writeFileSync(at('src/db/new/b.sql'), 'y')).toThrow(fails('needs_approval'))
      // The answer is for the file: creating the directory does not use it up.
      await session.flush()
      write()
      expect(session.fs.readFileSync(at('src/db/new/deep/a.sql'), 'utf8')).toBe('y')
    },
  )

  it('deny for a file: its directory cannot be created, whatever the earlier answer', async () => {
    const { root, at, open, agent } = scene({ '.orchestration/policy.yaml': 'access: {src/db: ask}\n' })
    const session = await agent(await open())
    const write = () => session.fs.writeFileSync(at('src/db/new/a.sql'), 'y')
    for (const word of ['once', 'deny'] as const) {
      expect(write).toThrow(fails('needs_approval'))
      await session.flush()
      await answer(root, word, 'Because.')
      await session.flush()
      if (word === 'deny') break
      session.fs.mkdirSync(at('src/db/new'), { recursive: true })
      write()
      await session.revert()
      await session.flush()
    }
    expect(() => session.fs.mkdirSync(at('src/db/new'))).toThrow(fails('needs_approval'))
    expect(write).toThrow(fails('access_denied'))
  })

  it("deny: delivers the reviewer's words, and does not ask again", async () => {
    const { root, at, open, agent } = scene({ ...ASK, 'src/db/a.sql': 'x' })
    const workspace = await open()
    const session = await agent(workspace)
    const write = () => session.fs.writeFileSync(at('src/db/a.sql'), 'y')
    expect(write).toThrow(fails('needs_approval'))
    await session.flush()
    await expect(answer(root, 'deny')).rejects.toMatchObject({ reason: 'unsupported' })
    await answer(root, 'deny', 'Use a migration.')
    await session.flush()
    expect(write).toThrow(expect.objectContaining({ reason: 'access_denied', hint: 'Use a migration.' }))
    expect(await session.feedback()).toMatchObject([{ kind: 'refused', reason: 'Use a migration.' }])
    expect(await openQuestions(workspace)).toEqual([])
  })

  it('asks an approver at once, and a tool call waits for it before its first write', async () => {
    const { root, at, agent } = scene({ ...ASK, 'src/db/a.sql': 'x', 'src/db/b.sql': 'x' })
    const paths: string[] = []
    const workspace = await openWorkspace(root, {
      async approver(question) {
        if (question.kind !== 'access') return undefined
        paths.push(question.path)
        return question.path.endsWith('a.sql') ? { answer: 'once', by: ADA } : { answer: 'deny', words: 'No.', by: ADA }
      },
    })
    try {
      const session = await agent(workspace)
      const call = (name: string) =>
        session.toolCall({ tool: 'edit', kind: 'edit', writes: [{ path: at(name), effect: 'put' }] }, () =>
          session.fs.writeFileSync(at(name), 'y'),
        )
      await call('src/db/a.sql')
      await expect(call('src/db/b.sql')).rejects.toEqual(fails('access_denied', /Ada does not allow/))
      expect(paths).toEqual(['src/db/a.sql', 'src/db/b.sql'])
    } finally {
      await workspace.close()
    }
  })

  it('leaves the question to a person when the approver fails', async () => {
    const { root, at, agent } = scene({ ...ASK, 'src/db/a.sql': 'x' })
    const workspace = await openWorkspace(root, { approver: () => Promise.reject(new Error('no line')) })
    try {
      const session = await agent(workspace)
      const writes = [{ path: at('src/db/a.sql'), effect: 'put' as const }]
      await expect(session.toolCall({ tool: 'edit', kind: 'edit', writes }, () => undefined)).rejects.toEqual(
        fails('needs_approval'),
      )
      expect(await openQuestions(workspace)).toHaveLength(1)
    } finally {
      await workspace.close()
    }
  })
})

describe('a request for scope', () => {
  it("is added to the intent's file when accepted; comments stay", async () => {
    const { root, at, open, agent, read } = scene({ 'lib/a.ts': 'x' })
    const workspace = await open()
    const session = await agent(workspace)
    const request = await session.requestScope(['lib/**'], 'The helper is there.')
    expect(await session.requestScope(['lib/**'], 'Again.')).toMatchObject({ id: request.id })
    expect(await openQuestions(workspace)).toMatchObject([
      { id: request.id, kind: 'scope', intentId: 'INT-001', globs: ['lib/**'] },
    ])
    expect(() => session.fs.writeFileSync(at('lib/a.ts'), 'y')).toThrow(fails('scope_violation'))
    await answer(root, 'allow')
    expect(read('.orchestration/active_intents.yaml')).toContain('lib/**')
    session.fs.writeFileSync(at('lib/a.ts'), 'y')
    expect(await session.feedback()).toMatchObject([{ kind: 'granted', reason: 'The scope was extended.' }])
    const record = (await ledgerOf(workspace)).find((line) => line.includes('"type":"scope_changed"'))
    expect(record).toContain('The helper is there.')
  })

  it('is refused with words for the agent', async () => {
    const { root, at, open, agent } = scene({ 'lib/a.ts': 'x' })
    const workspace = await open()
    const session = await agent(workspace)
    await session.requestScope(['lib/**'], 'I would like to.')
    await answer(root, 'deny', 'lib belongs to INT-002.')
    expect(await session.feedback()).toMatchObject([{ kind: 'refused', reason: 'lib belongs to INT-002.' }])
    expect(() => session.fs.writeFileSync(at('lib/a.ts'), 'y')).toThrow(fails('scope_violation'))
    const record = (await ledgerOf(workspace)).find((line) => line.includes('"type":"scope_changed"'))
    expect(record).toContain('"verdict":"rejected"')
  })

  it('needs an intent and at least one valid glob', async () => {
    const { open, agent } = scene()
    const session = await agent(await open())
    await expect(session.requestScope([], 'x')).rejects.toEqual(fails('nothing_selected'))
    await expect(session.requestScope(['/etc/**'], 'x')).rejects.toEqual(fails('policy_invalid'))
    await session.selectIntent(null)
    await expect(session.requestScope(['lib/**'], 'x')).rejects.toEqual(fails('missing_intent_id'))
  })
})

describe('an `ask` rule on a link', () => {
  it('asks by the name that the rule matches, and the answer applies to that name', async () => {
    const s = scene({
      'src/db/a.sql': 'x',
      '.orchestration/policy.yaml': 'access: {src/to-db: ask, src/db/a.sql: ask}\n',
    })
    fs.symlinkSync('db', s.at('src/to-db'))
    const workspace = await s.open()
    const session = await s.agent(workspace)
    const write = () => session.fs.writeFileSync('src/to-db/a.sql', 'y')
    for (const path of ['src/to-db/a.sql', 'src/db/a.sql']) {
      expect(write).toThrow(fails('needs_approval'))
      await session.flush()
      expect(await openQuestions(workspace)).toMatchObject([{ path }])
      await answer(s.root, 'once')
      await session.flush()
    }
    write()
    await session.flush()
    expect(write).toThrow(fails('needs_approval'))
  })
})

describe('a remembered answer', () => {
  it('applies to every session from then on, and the ledger has the rule', async () => {
    const { root, read, at, open, agent } = scene({ ...ASK, 'src/db/a.sql': 'x' })
    const workspace = await open()
    const session = await agent(workspace)
    expect(() => session.fs.writeFileSync(at('src/db/a.sql'), 'y')).toThrow(fails('needs_approval'))
    await session.flush()
    await answer(root, 'allow', undefined, 'one', true)
    expect(read('.orchestration/policy.yaml')).toBe(
      'access: {src/db: ask, src/db/seed.sql: allow, src/db/a.sql: allow}\n',
    )
    const other = await agent(await open(), 'two')
    other.fs.writeFileSync(at('src/db/a.sql'), 'y')
    expect(() => other.fs.writeFileSync(at('src/db/b.sql'), 'y')).toThrow(fails('needs_approval'))
    const remembered = '"remembered":{"path":"src/db/a.sql","word":"allow"}'
    expect((await ledgerOf(workspace)).filter((line) => line.includes(remembered))).toHaveLength(1)
  })

  it('is possible for an `ask` rule only, and not with once', async () => {
    const { open, agent } = scene({ ...ASK, 'src/db/a.sql': 'x' })
    const workspace = await open()
    const session = await agent(workspace)
    expect(() => session.fs.writeFileSync('src/db/a.sql', 'y')).toThrow(fails('needs_approval'))
    await session.requestScope(['lib/**'], 'for the fix')
    const review = await workspace.review('one')
    const [access, scope] = await review.questions()
    const once = review.answer(access?.id ?? '', { answer: 'once', remember: true })
    await expect(once).rejects.toMatchObject({ reason: 'unsupported' })
    const globs = review.answer(scope?.id ?? '', { answer: 'allow', remember: true })
    await expect(globs).rejects.toMatchObject({ reason: 'unsupported' })
    expect(await review.questions()).toHaveLength(2)
  })
})
