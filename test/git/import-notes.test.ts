import { describe, expect, it, onTestFinished } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { humanKey } from '../../src/trace/note-claims.js'
import { tempDir } from '../support/facade.js'
import { commitAll, git, initRepository } from '../support/git.js'
import { testWorkspace } from '../support/workspace.js'
import { blame } from './kit.js'

const FILE = 'const first = "the first line"\nconst second = "the second line"\n}\nconst last = "the last line"\n'
const ABOUT = { schema_version: 'authorship/3.0.0', prompts: {} }
const AGENT = { agent_id: { tool: 'cursor', id: 'chat-1', model: 'model-x' }, human_author: 'Eve <eve@example.org>' }

/** The key of a person in a note. */
const EVE = humanKey('Eve')

/** A workspace whose commits another tool wrote notes about. */
function repository() {
  const project = testWorkspace({ 'src/a.ts': '' })
  const run = (...args: string[]) => git(project.root, ...args)
  initRepository(project.root)
  project.write('src/a.ts', FILE)
  commitAll(project.root)
  const head = run('rev-parse', 'HEAD').trim()
  const note = (entries: string, about: object = {}, ref = 'ai', base = head) => {
    const text = `${entries}---\n${JSON.stringify({ ...ABOUT, base_commit_sha: base, ...about })}`
    run('notes', `--ref=${ref}`, 'add', '-f', '-m', text, head)
  }
  return { ...project, run, head, note }
}

const short = async (root: string) =>
  (await blame(root)).map(({ contributor, model, tool, imported }) =>
    [contributor, ...(imported ? [tool, model, 'imported'] : [])].join(' ').trim(),
  )

async function importFrom(root: string, ref: string) {
  const workspace = await openWorkspace(root)
  const report = await workspace.importNotes(ref)
  await workspace.close()
  return report
}

describe('a git note of another tool', () => {
  it('names the agent of lines without a record, by sessions or prompts, and never an approver', async () => {
    const { root, note } = repository()
    note('src/a.ts\n  s_1::t_1 1\n  d9978a8723e02b52 2-3\n', {
      sessions: { s_1: AGENT },
      prompts: { d9978a8723e02b52: { agent_id: { tool: 'claude' } } },
    })
    expect(await short(root)).toEqual([
      'ai cursor model-x imported',
      'ai claude  imported',
      'ai claude  imported',
      'unknown',
    ])
    expect((await blame(root)).flatMap(({ approvedBy }) => approvedBy ?? [])).toEqual([])
  })

  it.each<[string, object]>([
    ['people', { humans: { [EVE]: { author: 'Eve <eve@example.org>' } } }],
    [
      'people and agents',
      { humans: { [EVE]: { author: 'Eve' } }, prompts: { [EVE]: AGENT }, sessions: { [EVE]: AGENT } },
    ],
    ['agents', { prompts: { [EVE]: AGENT }, sessions: { [EVE]: AGENT } }],
  ])('names no person and no approver for the key of a person that it lists among %s', async (_, about) => {
    const { root, note } = repository()
    note(`src/a.ts\n  ${EVE} 1-2\n`, about)
    const lines = await blame(root)
    const contributor = 'humans' in about ? 'human' : 'unknown'
    expect(lines.map((line) => line.contributor)).toEqual([contributor, contributor, 'unknown', 'unknown'])
    expect(JSON.stringify(lines)).not.toMatch(/eve|cursor|model-x|approvedBy/i)
  })

  it('does not reassign a line of a record', async () => {
    const { root, note, open, run } = repository()
    const workspace = await open()
    const session = await workspace.session({ id: 's', agent: { model: 'm-1', tool: 'tester' } })
    await session.selectIntent('INT-001')
    session.fs.writeFileSync('src/a.ts', `${FILE}const added = "by our own agent"\n`)
    const review = await workspace.review('s')
    await review.approve(undefined, { name: 'Ann' })
    await review.commit({ git: {} })
    await workspace.close()
    const head = run('rev-parse', 'HEAD').trim()
    const text = `src/a.ts\n  s_1 1-5\n---\n${JSON.stringify({ ...ABOUT, base_commit_sha: head, sessions: { s_1: AGENT } })}`
    run('notes', '--ref=ai', 'add', '-m', text, head)
    note('src/a.ts\n  s_1 4\n', { sessions: { s_1: AGENT } })
    const lines = await blame(root)
    expect(lines.map(({ model, approvedBy, imported }) => [model, approvedBy, imported])).toEqual([
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
      [undefined, undefined, undefined],
      ['model-x', undefined, true],
      ['m-1', 'Ann', undefined],
    ])
  })

  it.each([
    ['is copied from another commit', 'src/a.ts\n  s_1 1-4\n', 'b'.repeat(40)],
    ['names a session that it lacks', 'src/a.ts\n  s_2 1-4\n', undefined],
    ['is about another file', 'src/b.ts\n  s_1 1-4\n', undefined],
    ['claims too many lines', 'src/a.ts\n  s_1 1-999999999\n', undefined],
    ['is damaged', 'src/a.ts\n  s_1 1-\n', undefined],
  ])('is ignored if it %s', async (_, entries, base) => {
    const { root, note } = repository()
    note(entries, { sessions: { s_1: AGENT } }, 'ai', base)
    expect(await short(root)).toEqual(['unknown', 'unknown', 'unknown', 'unknown'])
  })

  it('leaves a line unknown if it assigns it to several agents', async () => {
    const { root, note } = repository()
    note('src/a.ts\n  s_1 1\n  s_2 1\n', { sessions: { s_1: AGENT, s_2: { agent_id: { tool: 'other' } } } })
    expect(await blame(root)).toContainEqual({
      line: 1,
      contributor: 'unknown',
      why: 'the git note of its commit names several authors',
    })
  })
})

describe('the notes of two clones', () => {
  it('are joined for each commit, the same in both directions, and git can push them', async () => {
    const one = repository()
    const { path: top, dispose } = tempDir()
    onTestFinished(dispose)
    const shared = `${top}/shared.git`
    git(top, 'clone', '-q', '--bare', one.root, shared)
    one.run('remote', 'add', 'origin', shared)
    const other = `${top}/other`
    git(top, 'clone', '-q', shared, other)
    one.note('src/a.ts\n  s_1 1\n', { sessions: { s_1: AGENT } })
    one.run('push', '-q', 'origin', 'refs/notes/ai')
    const theirs = `src/a.ts\n  s_2 2\n---\n${JSON.stringify({ ...ABOUT, base_commit_sha: one.head, sessions: { s_2: AGENT } })}`
    git(other, 'notes', '--ref=ai', 'add', '-m', theirs, one.head)
    git(other, 'notes', '--ref=ai', 'add', '-m', 'of the first commit', `${one.head}~`)
    git(other, 'fetch', '-q', 'origin', 'refs/notes/ai:refs/notes/origin/ai')
    git(other, 'update-ref', 'refs/notes/mine', 'refs/notes/ai')
    expect(await importFrom(other, 'refs/notes/origin/ai')).toEqual({ imported: [one.head] })
    expect(await importFrom(other, 'refs/notes/origin/ai')).toEqual({ imported: [] })
    git(other, 'push', '-q', 'origin', 'refs/notes/ai')
    const joined = git(other, 'notes', '--ref=ai', 'show', one.head)
    expect(joined).toContain('  s_1 1\n  s_2 2\n---\n')

    one.run('fetch', '-q', other, 'refs/notes/mine:refs/notes/theirs')
    expect((await importFrom(one.root, 'refs/notes/theirs')).imported).toHaveLength(2)
    expect(one.run('notes', '--ref=ai', 'show', one.head)).toBe(joined)
    one.run('fetch', '-q', 'origin', 'refs/notes/ai:refs/notes/origin/ai')
    await importFrom(one.root, 'refs/notes/origin/ai')
    expect(one.run('diff', 'refs/notes/ai', 'refs/notes/origin/ai')).toBe('')
  })

  it('are taken unchanged if there are none here, and git adds to them', async () => {
    const { root, run, note, head } = repository()
    note('src/a.ts\n  s_1 1\n', { sessions: { s_1: AGENT } }, 'other')
    expect(await importFrom(root, 'refs/notes/other')).toEqual({ imported: [head] })
    expect(run('rev-parse', 'refs/notes/ai')).toBe(run('rev-parse', 'refs/notes/other'))
    await expect(importFrom(root, 'refs/notes/none')).rejects.toMatchObject({ reason: 'unsupported' })
    // A branch is not a note ref, even if none exists yet and the ref would only have to be created.
    run('update-ref', '-d', 'refs/notes/ai')
    await expect(importFrom(root, 'HEAD')).rejects.toMatchObject({ reason: 'unsupported' })
    expect(run('for-each-ref', 'refs/notes/ai')).toBe('')
    run('update-ref', 'refs/notes/ai', 'refs/notes/other')
    await expect(importFrom(root, '--exec=x')).rejects.toMatchObject({ reason: 'unsupported' })
    run('notes', '--ref=ai', 'append', '-m', 'more', 'HEAD~')
    expect(run('notes', '--ref=ai', 'list').trim().split('\n')).toHaveLength(2)
  })
})
