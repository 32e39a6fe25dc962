import { existsSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { metadataOf, reasonOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const ANN = { name: 'Ann' }
const lesson = (text: string, about: string) =>
  new RegExp(`## Lesson Learned \\(\\d{4}-[-\\dT:.]+Z\\)\n\n${text}\n\n\\*\\*Context:\\*\\* ${about}\n\n---\n$`)

describe('a lesson', () => {
  it('is staged, reviewed and committed to the shared file without a scope', async () => {
    const project = testWorkspace({ 'CLAUDE.md': '# Rules\n' })
    const workspace = await project.open()
    const session = await startSession(workspace)
    await session.recordLesson('Run the linter first.', 'CI was red')
    await session.recordLesson('Prices are cents.')
    expect(project.text('CLAUDE.md')).toBe('# Rules\n')
    expect(session.fs.readFileSync('CLAUDE.md', 'utf8')).toMatch(/^# Rules\n\n## Lesson Learned/)
    const review = await workspace.review('agent')
    expect((await review.changes()).changes).toMatchObject([{ path: 'CLAUDE.md', kind: 'modify' }])
    await review.approve('CLAUDE.md', ANN)
    await review.commit()
    expect(project.text('CLAUDE.md')).toMatch(lesson('Prices are cents.', '\\(for INT-001\\)'))
    expect(project.text('CLAUDE.md')).toContain('**Context:** CI was red (for INT-001)')
    const lessons = (await recordsOf(workspace)).filter((record) => metadataOf(record).type === 'lesson')
    expect(lessons.map((record) => [record.intent_id, metadataOf(record).words, metadataOf(record).duplicate])).toEqual(
      [
        ['INT-001', 'Run the linter first.', false],
        ['INT-001', 'Prices are cents.', false],
      ],
    )
  })

  it('is not appended twice, and the ledger records the duplicate', async () => {
    const workspace = await testWorkspace({}).open()
    const session = await startSession(workspace)
    await session.recordLesson('Run  the linter\nfirst.')
    const once = session.fs.readFileSync('CLAUDE.md', 'utf8')
    await session.recordLesson(' run the Linter first. ', 'again')
    expect(session.fs.readFileSync('CLAUDE.md', 'utf8')).toBe(once)
    expect(metadataOf((await recordsOf(workspace)).at(-1) ?? {})).toMatchObject({ type: 'lesson', duplicate: true })
  })

  it('goes to AGENTS.md if only that exists, or to lessons_file', async () => {
    const agents = testWorkspace({ 'AGENTS.md': 'a' })
    const session = await startSession(await agents.open())
    await session.recordLesson('One.')
    expect(session.fs.readFileSync('AGENTS.md', 'utf8')).toMatch(/^a\n\n## Lesson/)
    const configured = testWorkspace({ 'docs/x': '', '.orchestration/policy.yaml': 'lessons_file: docs/LESSONS.md\n' })
    const other = await startSession(await configured.open())
    await other.recordLesson('One.')
    expect(other.fs.existsSync('docs/LESSONS.md')).toBe(true)
    expect(existsSync(`${configured.root}/CLAUDE.md`)).toBe(false)
  })

  it('is written to disk directly if policy allows it', async () => {
    const project = testWorkspace({ '.orchestration/policy.yaml': 'approval: {lessons: auto}\n' })
    const session = await startSession(await project.open())
    await session.recordLesson('One.')
    await session.recordLesson('Two.')
    await session.recordLesson('one.')
    expect(project.text('CLAUDE.md').match(/^## Lesson/gm)).toHaveLength(2)
    expect((await session.changes()).changes).toEqual([])
  })

  it('never goes through a link or into .orchestration', async () => {
    const project = testWorkspace({ '.orchestration/policy.yaml': 'approval: {lessons: auto}\n', elsewhere: '' })
    symlinkSync('elsewhere', `${project.root}/CLAUDE.md`)
    const session = await startSession(await project.open())
    expect(await reasonOf(() => session.recordLesson('One.'))).toBe('protected_path')
    expect(project.text('elsewhere')).toBe('')
    const ours = testWorkspace({ '.orchestration/policy.yaml': 'lessons_file: .git/hooks/pre-commit\n' })
    const other = await startSession(await ours.open())
    expect(await reasonOf(() => other.recordLesson('One.'))).toBe('protected_path')
  })

  it('does not exempt other changes of the same file from the scope', async () => {
    const project = testWorkspace(
      { 'CLAUDE.md': '# Rules\n' },
      'active_intents:\n  - { id: INT-001, name: A, status: IN_PROGRESS, owned_scope: ["CLAUDE.md", "src/**"] }\n',
    )
    const workspace = await project.open()
    const session = await startSession(workspace)
    session.fs.appendFileSync('CLAUDE.md', 'Trust me.\n')
    await session.recordLesson('One.')
    project.write(
      '.orchestration/active_intents.yaml',
      'active_intents:\n  - { id: INT-001, name: A, status: IN_PROGRESS, owned_scope: ["src/**"] }\n',
    )
    const review = await workspace.review('agent')
    await review.approve('CLAUDE.md', ANN)
    const refused = await review.commit().then(
      () => 'committed',
      (error: { refused?: { path: string }[] }) => error.refused?.map(({ path }) => path),
    )
    expect(refused).toEqual(['CLAUDE.md'])
  })

  it('must have text of limited length and a valid policy', async () => {
    const project = testWorkspace({})
    const session = await startSession(await project.open())
    expect(await reasonOf(() => session.recordLesson(' \n'))).toBe('nothing_selected')
    expect(await reasonOf(() => session.recordLesson('x'.repeat(20_000)))).toBe('limit_exceeded')
    project.write('.orchestration/policy.yaml', 'nonsense: 1\n')
    expect(await reasonOf(() => session.recordLesson('One.'))).toBe('policy_invalid')
  })
})
