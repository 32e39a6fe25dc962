import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { STAGED_SCHEME, stagedReview } from '../../../src/agents/roo/index.js'
import type { ContentProvider } from '../../../src/agents/vscode/api.js'
import type { Session, Workspace } from '../../../src/index.js'
import { startSession, type TestWorkspace, testWorkspace } from '../../support/workspace.js'

interface Uri {
  readonly scheme: string
  readonly path: string
  readonly query: string
}

type Shown = readonly [file: Uri, before: Uri | undefined, after: Uri | undefined]

/** An editor that records what it is asked; its person answers as configured. */
function fakeVscode() {
  const seen = { commands: [] as unknown[][], modals: [] as string[][], disposed: 0, scheme: '' }
  let provider: ContentProvider<Uri> | undefined
  const person: { choice: string | undefined; words: string | undefined } = { choice: undefined, words: undefined }
  const vscode = {
    Uri: {
      file: (path: string): Uri => ({ scheme: 'file', path, query: '' }),
      from: (parts: Uri): Uri => ({ ...parts }),
    },
    workspace: {
      registerTextDocumentContentProvider(scheme: string, given: ContentProvider<Uri>) {
        seen.scheme = scheme
        provider = given
        return { dispose: () => seen.disposed++ }
      },
    },
    commands: {
      async executeCommand(command: string, ...rest: unknown[]) {
        seen.commands.push([command, ...rest])
      },
    },
    window: {
      async showWarningMessage(message: string, options: { modal: boolean; detail?: string }, ...items: string[]) {
        seen.modals.push([message, options.detail ?? '', ...items])
        return options.modal ? person.choice : undefined
      },
      showInputBox: async () => person.words,
    },
  }
  const read = async (uri: Uri | undefined) =>
    uri === undefined ? undefined : (provider ?? expect.unreachable()).provideTextDocumentContent(uri)
  const shownFiles = () => (seen.commands.at(-1)?.[2] ?? []) as Shown[]
  return { vscode, seen, person, read, shownFiles }
}

interface Setup extends ReturnType<typeof fakeVscode> {
  readonly project: TestWorkspace
  readonly workspace: Workspace
  readonly session: Session
  readonly review: ReturnType<typeof stagedReview<Uri>>
}

async function setUp(): Promise<Setup> {
  const project = testWorkspace()
  const workspace = await project.open()
  const session = await startSession(workspace)
  const fake = fakeVscode()
  const review = stagedReview<Uri>(fake.vscode, workspace)
  session.fs.writeFileSync('src/a.ts', 'staged\n')
  session.fs.rmSync('src/b.ts')
  session.fs.writeFileSync('src/new.ts', 'new\n')
  session.fs.renameSync('src/sub/c.ts', 'src/c.ts')
  return { ...fake, project, workspace, session, review }
}

describe('show', () => {
  it('opens all changes in one editor, with both sides of each', async () => {
    const { review, seen, shownFiles, read, project } = await setUp()
    expect(await review.show('agent')).toBe(4)
    expect(seen.scheme).toBe(STAGED_SCHEME)
    expect(seen.commands[0]?.slice(0, 2)).toEqual(['vscode.changes', 'Staged by agent'])
    const sides = await Promise.all(
      shownFiles().map(async ([file, before, after]) => [file.path, await read(before), await read(after)]),
    )
    expect(sides).toEqual([
      [`${project.root}/src/b.ts`, 'b\n', undefined],
      [`${project.root}/src/a.ts`, 'a one\na two\n', 'staged\n'],
      [`${project.root}/src/c.ts`, 'c\n', 'c\n'],
      [`${project.root}/src/new.ts`, undefined, 'new\n'],
    ])
  })

  it('shows no content for an outdated change', async () => {
    const { review, session, shownFiles, read } = await setUp()
    await review.show('agent')
    session.fs.writeFileSync('src/a.ts', 'other\n')
    const [, before, after] = shownFiles()[1] ?? expect.unreachable()
    expect([await read(before), await read(after)]).toEqual([
      'a one\na two\n',
      'This file changed after the review was opened. Open it again.\n',
    ])
  })

  it('names binary files, and opens nothing if nothing is staged', async () => {
    const { review, session, shownFiles, read, seen } = await setUp()
    const bytes = Buffer.from([1, 0, 2])
    session.fs.writeFileSync('src/new.ts', bytes)
    await review.show('agent')
    const digest = createHash('sha256').update(bytes).digest('hex')
    expect(await read(shownFiles()[3]?.[2])).toBe(`Binary, 3 bytes, sha256:${digest}\n`)
    await session.revert()
    expect([await review.show('agent'), seen.commands.length]).toEqual([0, 1])
  })

  it('does not count as a read by the agent for its content lock', async () => {
    const { review, session, project, shownFiles, read } = await setUp()
    await review.show('agent')
    for (const [, before, after] of shownFiles()) await Promise.all([read(before), read(after)])
    project.write('mail/m.ts', 'moved on\n')
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe('staged\n')
    review.dispose()
  })
})

describe('decide', () => {
  it('approves and commits what was shown, by the person', async () => {
    const { review, person, project, seen, workspace } = await setUp()
    person.choice = 'Approve and commit'
    expect(await review.decide('agent', { name: 'Ada' })).toMatchObject({
      committed: expect.arrayContaining(['src/a.ts']),
    })
    expect(project.text('src/a.ts')).toBe('staged\n')
    expect(seen.modals[0]).toEqual([
      'Approve and commit 4 staged changes?',
      'delete src/b.ts\nmodify src/a.ts\nrename src/sub/c.ts -> src/c.ts\ncreate src/new.ts',
      'Approve and commit',
      'Reject',
    ])
    expect((await workspace.ledger.blame('src/a.ts'))[0]).toMatchObject({ approvedBy: 'Ada' })
  })

  it.each([undefined, 'Yes'])('decides nothing with the answer %s', async (choice) => {
    const { review, person, project, workspace } = await setUp()
    person.choice = choice
    expect(await review.decide('agent')).toBeUndefined()
    const { changes } = await (await workspace.review('agent')).changes()
    expect([changes.every(({ state }) => state === 'pending'), project.text('src/a.ts')]).toEqual([
      true,
      'a one\na two\n',
    ])
  })

  it('rejects with a reason, which the agent gets; without a reason it decides nothing', async () => {
    const { review, person, session } = await setUp()
    person.choice = 'Reject'
    expect(await review.decide('agent')).toBeUndefined()
    person.words = 'Not so.'
    expect(await review.decide('agent')).toBe('rejected')
    expect((await session.feedback()).map(({ reason }) => reason)).toContain('Not so.')
  })

  it('keeps every name on its own line', async () => {
    const { review, session, seen } = await setUp()
    session.fs.writeFileSync('src/x\nmodify safe.ts', '')
    await review.decide('agent')
    expect(seen.modals[0]?.[1]?.split('\n')).toHaveLength(5)
  })
})
