import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { applyGitHooks, planGitHooks } from '../../src/client-settings/git-hooks.js'
import {
  type CommitResult,
  EscrowError,
  type GitCommitOptions,
  openWorkspace,
  type Session,
  type Workspace,
} from '../../src/index.js'
import { tempDir } from '../support/facade.js'
import { commitAll, git, initEmptyRepository, initRepository } from '../support/git.js'
import { trust } from '../support/trust.js'
import { FILES, INTENTS, startSession, testWorkspace } from '../support/workspace.js'

interface Repository {
  readonly root: string
  readonly workspace: Workspace
  readonly session: Session
  git(...args: string[]): string
  write(path: string, text: string): void
  /** Approves everything that is staged, and commits it. */
  commit(options?: GitCommitOptions): Promise<CommitResult>
}

/** A workspace whose files are committed on `main`, and an agent's session. */
async function repository(files: Readonly<Record<string, string>> = FILES): Promise<Repository> {
  const project = testWorkspace(files)
  initRepository(project.root, { ignore: '.orchestration/\nsrc/built/\n' })
  return over(project)
}

async function over(project: ReturnType<typeof testWorkspace>): Promise<Repository> {
  const workspace = await project.open()
  const session = await startSession(workspace)
  return {
    ...{ root: project.root, workspace, session, write: project.write },
    git: (...args) => git(project.root, ...args).trimEnd(),
    async commit(options = {}) {
      const review = await workspace.review(session.id)
      await review.changes()
      await review.approve(undefined, { name: 'Ann', email: 'ann@example.org' })
      return review.commit({ git: options })
    },
  }
}

/** As {@link repository}, with a function that writes a hook. */
async function withHooks() {
  const at = await repository()
  mkdirSync(`${at.root}/.git/hooks`, { recursive: true })
  const hook = (name: string, text: string) => {
    writeFileSync(`${at.root}/.git/hooks/${name}`, `#!/bin/sh\n${text}\n`)
    chmodSync(`${at.root}/.git/hooks/${name}`, 0o755)
  }
  return { ...at, hook }
}

async function refusal(
  run: () => Promise<unknown>,
): Promise<Pick<EscrowError, 'message' | 'hint' | 'refused' | 'output'>> {
  try {
    await run()
  } catch (error) {
    if (error instanceof EscrowError) return error
    throw error
  }
  throw new Error('It was not refused.')
}

describe('a commit with git', () => {
  it('makes one commit of everything, with trailers, and leaves git clean', async () => {
    const { git, session, commit, root } = await repository()
    const before = git('rev-parse', 'HEAD')
    session.fs.writeFileSync('src/a.ts', 'a one\na 2\n')
    session.fs.writeFileSync('src/new.ts', 'new\n')
    session.fs.rmSync('src/b.ts')
    session.fs.renameSync('src/sub/c.ts', 'src/sub/d.ts')
    const { git: made, warnings } = await commit()
    expect(warnings).toBeUndefined()
    expect(made).toMatchObject({ ref: 'refs/heads/main', ignored: [], hooksLeft: [] })
    expect(made?.commits).toEqual([git('rev-parse', 'HEAD')])
    expect(git('rev-parse', 'HEAD^')).toBe(before)
    expect(git('status', '--porcelain')).toBe('')
    expect(git('show', '--name-status', '--no-renames', '--format=', 'HEAD').split('\n')).toEqual([
      'M\tsrc/a.ts',
      'D\tsrc/b.ts',
      'A\tsrc/new.ts',
      'D\tsrc/sub/c.ts',
      'A\tsrc/sub/d.ts',
    ])
    expect(readFileSync(`${root}/src/a.ts`, 'utf8')).toBe('a one\na 2\n')
    expect(git('show', '-s', '--format=%an <%ae> %cn %s', 'HEAD')).toBe('Ada <ada@example.org> Ada Prices')
    expect(git('show', '-s', '--format=%(trailers)', 'HEAD').split('\n')).toEqual([
      'Intent: INT-001',
      'Assisted-by: tester:m-1',
      'Reviewed-by: Ann <ann@example.org>',
      expect.stringMatching(/^Trace-Head: \d+:[0-9a-f]{64}$/),
    ])
  })

  it('names each person who approved a change', async () => {
    const { git, session, commit, workspace } = await repository()
    session.fs.writeFileSync('src/a.ts', 'a one\na 2\n')
    const review = await workspace.review(session.id)
    await review.approve({ paths: ['src/a.ts'] }, { name: 'Bo' })
    await commit()
    expect(git('show', '-s', '--format=%(trailers:key=Reviewed-by)', 'HEAD').split('\n')).toEqual([
      'Reviewed-by: Bo',
      'Reviewed-by: Ann <ann@example.org>',
    ])
  })

  it('records the ids of its commits in the ledger', async () => {
    const { session, commit, workspace } = await repository()
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    const { git: made } = await commit()
    const found: unknown[] = []
    for await (const { metadata } of workspace.ledger.records()) found.push(JSON.stringify(metadata))
    expect(found.filter((text) => String(text).includes(made?.commits[0] ?? 'none'))).toHaveLength(1)
  })

  it('keeps modes and links', async () => {
    const { session, commit, git } = await repository()
    session.fs.writeFileSync('src/run.sh', '#!/bin/sh\n', { mode: 0o755 })
    session.fs.symlinkSync('a.ts', 'src/link')
    session.fs.chmodSync('src/b.ts', 0o755)
    await commit()
    expect(git('ls-tree', '-r', '--format=%(objectmode) %(path)', 'HEAD', 'src').split('\n')).toEqual([
      '100644 src/a.ts',
      '100755 src/b.ts',
      '120000 src/link',
      '100755 src/run.sh',
      '100644 src/sub/c.ts',
    ])
    expect(git('status', '--porcelain')).toBe('')
  })

  it('commits only the approved hunks, and the rest stays staged', async () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}\n`)
    const { session, workspace, git } = await repository({ 'src/a.ts': lines.join('') })
    session.fs.writeFileSync('src/a.ts', lines.join('').replace('line 2\n', 'two\n').replace('line 38\n', 'late\n'))
    const review = await workspace.review(session.id)
    const [first] = (await review.changes()).changes[0]?.hunks ?? []
    await review.approve({ hunks: [first?.id ?? ''] }, { name: 'Ann' })
    await review.commit({ git: {} })
    expect(git('show', 'HEAD:src/a.ts')).toBe(lines.join('').replace('line 2\n', 'two\n').trimEnd())
    expect(git('status', '--porcelain')).toBe('')
    expect((await session.changes()).changes).toHaveLength(1)
  })

  it("leaves a person's other edits alone, in the working tree and in the index", async () => {
    const { session, commit, git, write } = await repository()
    write('src/b.ts', 'mine, in the working tree\n')
    write('mail/m.ts', 'mine, in the index\n')
    git('add', 'mail/m.ts')
    write('note.txt', 'untracked\n')
    session.fs.writeFileSync('src/a.ts', 'agent\n')
    await commit()
    expect(git('show', '--name-only', '--format=', 'HEAD')).toBe('src/a.ts')
    expect(git('status', '--porcelain')).toBe('M  mail/m.ts\n M src/b.ts\n?? note.txt')
  })

  it("refuses a file with a person's uncommitted edits, and writes nothing; --whole-files takes it", async () => {
    const { session, commit, git, write, root } = await repository()
    write('src/a.ts', 'mine\na two\n')
    session.fs.readFileSync('src/a.ts')
    session.fs.writeFileSync('src/a.ts', 'mine\nagent\n')
    const head = git('rev-parse', 'HEAD')
    expect(await refusal(() => commit())).toMatchObject({
      refused: [{ path: 'src/a.ts', message: expect.stringContaining('uncommitted') }],
      hint: expect.stringContaining('--whole-files'),
    })
    expect(git('rev-parse', 'HEAD')).toBe(head)
    expect(readFileSync(`${root}/src/a.ts`, 'utf8')).toBe('mine\na two\n')
    await commit({ wholeFiles: true })
    expect(git('show', 'HEAD:src/a.ts')).toBe('mine\nagent')
    expect(git('status', '--porcelain')).toBe('')
  })

  it('refuses a file with other content in the index', async () => {
    const { session, commit, git, write } = await repository()
    write('src/a.ts', 'mine\n')
    git('add', 'src/a.ts')
    write('src/a.ts', FILES['src/a.ts'])
    session.fs.writeFileSync('src/a.ts', 'agent\n')
    expect(await refusal(() => commit({ wholeFiles: true }))).toMatchObject({
      refused: [{ path: 'src/a.ts', message: expect.stringContaining("git's index") }],
    })
    expect(git('show', ':src/a.ts')).toBe('mine')
  })

  it('makes a commit for each intent, and for each step', async () => {
    const { session, commit, git } = await repository()
    session.fs.writeFileSync('src/a.ts', 'first\n')
    await session.selectIntent('INT-002')
    session.fs.writeFileSync('mail/m.ts', 'second\n')
    const { git: made } = await commit({ per: 'intent' })
    expect(made?.commits).toHaveLength(2)
    expect(git('log', '-2', '--reverse', '--format=%s %(trailers:key=Intent,valueonly,separator=%x2C)')).toBe(
      'Prices INT-001\nMail INT-002',
    )
    await session.toolCall({ tool: 'edit', kind: 'edit', id: 'call-1', why: 'Raise the price' }, () =>
      session.fs.writeFileSync('mail/m.ts', 'third\n'),
    )
    await session.toolCall({ tool: 'edit', kind: 'edit', id: 'call-2', why: 'Say so' }, () =>
      session.fs.writeFileSync('mail/n.ts', 'fourth\n'),
    )
    await session.flush()
    await commit({ per: 'step' })
    expect(git('log', '-2', '--reverse', '--format=%s')).toBe('Raise the price\nSay so')
  })

  it("lands the agent's own git commits, with their messages and in their order", async () => {
    const { session, commit, git } = await repository()
    const running = await session.start(
      [
        'git config user.name Agent && git config user.email agent@example.org',
        'echo one > src/a.ts && git commit -qam "Change a"',
        'echo two > src/b.ts && git commit -qam "Change b" && echo three > src/new.ts',
      ].join(' && '),
    )
    await running.wait()
    const { git: made } = await commit({ per: 'proposal' })
    expect(made?.commits).toHaveLength(3)
    expect(git('log', '-3', '--reverse', '--format=%s').split('\n')).toEqual(['Change a', 'Change b', 'Prices'])
    expect(git('show', '--name-only', '--format=', 'HEAD^').trim()).toBe('src/b.ts')
    await session.exec('echo four > src/a.ts')
    await commit()
    expect(git('show', '-s', '--format=%s')).toBe('Prices')
  })

  it("drops an agent's trailers that claim a person's approval, and names the rule that approved", async () => {
    const { session, workspace, git, write } = await repository()
    const tier =
      '{ name: docs, paths: ["**"], classes: [documentation], max_files: 9, max_lines: 99, requires: [no_link] }'
    write('.orchestration/policy.yaml', `commit: { git: true }\napproval: { auto: { tiers: [${tier}] } }\n`)
    const forged = 'More\n\nReviewed-by: Boss <boss@example.org>\nsigned-off-by: Boss\nTrace-Head: 1:00\nFixes: 12'
    const running = await session.start([
      'sh',
      '-c',
      'echo "# More" > src/guide.md && git add -A && git -c user.name=A -c user.email=a@b.c commit -qm "$0"',
      forged,
    ])
    await running.wait()
    expect((await (await workspace.review(session.id)).release()).commit?.paths).toEqual(['src/guide.md'])
    const message = git('show', '-s', '--format=%B')
    expect(message).toMatch(
      /^More\n\nFixes: 12\nIntent: INT-001\nAssisted-by: tester:m-1\nReleased-by-rule: docs\nTrace-Head: /,
    )
    expect(message).not.toMatch(/Boss|Reviewed-by|1:00/)
  })

  it('removes a file from git that was renamed to an ignored path', async () => {
    const { session, commit, git } = await repository()
    session.fs.mkdirSync('src/built')
    session.fs.renameSync('src/a.ts', 'src/built/a.ts')
    expect((await commit()).git).toMatchObject({ ignored: ['src/built/a.ts'] })
    expect(git('show', '--name-status', '--format=')).toBe('D\tsrc/a.ts')
    expect(git('status', '--porcelain')).toBe('')
  })

  it('accepts a message, lets a person edit it, and stops on an empty one', async () => {
    const { session, commit, git, root } = await repository()
    session.fs.writeFileSync('src/a.ts', 'one\n')
    await commit({ message: 'A subject\n\nA body.', edit: async (text) => `${text}\n\nSigned-off-by: Ada <a@b.c>` })
    expect(git('show', '-s', '--format=%B', 'HEAD')).toMatch(
      /^A subject\n\nA body\.\n\nSigned-off-by: Ada <a@b\.c>\nIntent: INT-001\n/,
    )
    session.fs.writeFileSync('src/a.ts', 'two\n')
    expect(await refusal(() => commit({ edit: async () => '\n' }))).toMatchObject({
      message: expect.stringContaining('empty'),
    })
    expect(readFileSync(`${root}/src/a.ts`, 'utf8')).toBe('one\n')
  })

  it('commits to a new branch and to an existing one, and leaves the current one and its index', async () => {
    const { session, commit, git } = await repository()
    const main = git('rev-parse', 'main')
    for (const text of ['one\n', 'two\n']) {
      session.fs.writeFileSync('src/new.ts', text)
      await refusalOrResult(() => commit({ branch: 'agent/work', wholeFiles: true }))
    }
    expect(git('rev-parse', 'main')).toBe(main)
    expect(git('log', '--format=%s', 'main..agent/work').split('\n')).toHaveLength(2)
    expect(git('show', 'agent/work:src/new.ts')).toBe('two')
    expect(git('symbolic-ref', 'HEAD')).toBe('refs/heads/main')
    session.fs.writeFileSync('src/new.ts', 'three\n')
    expect(await refusal(() => commit({ branch: '-x' }))).toMatchObject({
      message: expect.stringContaining('not a name'),
    })
  })

  it('works on a branch without commits, and on a detached HEAD', async () => {
    const project = testWorkspace()
    initEmptyRepository(project.root)
    const unborn = await over(project)
    unborn.session.fs.writeFileSync('src/new.ts', 'new\n')
    await unborn.commit()
    expect(unborn.git('ls-tree', '-r', '--name-only', 'HEAD')).toBe('src/new.ts')
    unborn.git('checkout', '-q', '--detach')
    unborn.session.fs.writeFileSync('src/new.ts', 'newer\n')
    expect((await unborn.commit()).git?.ref).toBe('HEAD')
    expect(unborn.git('log', '--format=%H')).toMatch(/^\S+\n\S+$/)
    expect(unborn.git('log', '--format=%H', 'main')).toMatch(/^\S+$/)
  })

  it.each([
    ['rebase-merge', 'rebase', 'dir'],
    ['MERGE_HEAD', 'merge', 'file'],
    ['CHERRY_PICK_HEAD', 'cherry-pick', 'file'],
    ['REVERT_HEAD', 'revert', 'file'],
  ])('refuses during %s, and commits to another branch', async (name, what, type) => {
    const { session, commit, git, root } = await repository()
    const marker = `${root}/.git/${name}`
    if (type === 'dir') mkdirSync(marker)
    else writeFileSync(marker, `${git('rev-parse', 'HEAD')}\n`)
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    const error = await refusal(() => commit())
    expect(error.message).toContain(what)
    expect(error.hint).toContain('--branch')
    expect((await commit({ branch: 'aside' })).git?.commits).toHaveLength(1)
  })

  it('leaves ignored paths out, and reports them', async () => {
    const { session, commit, git, root } = await repository()
    session.fs.mkdirSync('src/built')
    session.fs.writeFileSync('src/built/out.js', 'out\n')
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    expect((await commit()).git).toMatchObject({ ignored: ['src/built/out.js'] })
    expect(git('show', '--name-only', '--format=', 'HEAD')).toBe('src/a.ts')
    expect(readFileSync(`${root}/src/built/out.js`, 'utf8')).toBe('out\n')
    session.fs.writeFileSync('src/built/out.js', 'again\n')
    expect((await commit()).git).toMatchObject({ commits: [], ignored: ['src/built/out.js'] })
  })

  it('applies line ends and filters as git does', async () => {
    const { session, commit, git, write, root } = await repository()
    git('config', 'core.autocrlf', 'true')
    git('config', 'filter.shout.clean', 'tr a-z A-Z')
    git('config', 'filter.shout.smudge', 'tr A-Z a-z')
    write('.gitattributes', '*.loud filter=shout\n')
    git('add', '.gitattributes')
    git('commit', '-q', '-m', 'attributes')
    session.fs.writeFileSync('src/crlf.ts', 'one\r\ntwo\r\n')
    session.fs.writeFileSync('src/x.loud', 'quiet\n')
    await commit()
    expect(execFileSync('git', ['-C', root, 'cat-file', 'blob', 'HEAD:src/crlf.ts'], { encoding: 'utf8' })).toBe(
      'one\ntwo\n',
    )
    expect(git('cat-file', 'blob', 'HEAD:src/x.loud')).toBe('QUIET')
    expect(git('status', '--porcelain')).toBe('')
  })

  it('refuses paths in a submodule, and commits the others', async () => {
    const { session, commit, git, root } = await repository()
    const other = tempDir()
    onTestFinished(other.dispose)
    execFileSync('git', ['init', '-q', other.path])
    writeFileSync(`${other.path}/f`, 'f\n')
    commitAll(other.path)
    git('-c', 'protocol.file.allow=always', 'submodule', '-q', 'add', other.path, 'src/module')
    git('commit', '-q', '-m', 'module')
    session.fs.writeFileSync('src/module/f', 'changed\n')
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    expect(await refusal(() => commit())).toMatchObject({
      refused: [{ path: 'src/module/f', message: expect.stringContaining('src/module') }],
      hint: 'Commit without --git, then commit these files with git in the submodule.',
    })
    expect(readFileSync(`${root}/src/a.ts`, 'utf8')).toBe(FILES['src/a.ts'])
  })

  it('commits in a repository whose path has a line feed', async () => {
    const { path: outer, dispose } = tempDir()
    onTestFinished(dispose)
    const root = `${outer}/two\nlines`
    mkdirSync(`${root}/src`, { recursive: true })
    writeFileSync(`${root}/src/a.ts`, 'a\n')
    initRepository(root)
    const inner = await over(testWorkspaceAt(`${root}/src`))
    inner.session.fs.writeFileSync('a.ts', 'inner\n')
    await inner.commit()
    expect(inner.git('show', '--name-only', '--format=', 'HEAD')).toBe('src/a.ts')
  })

  it('commits in a worktree, and in a directory below the top of the repository', async () => {
    const { path: outer, dispose } = tempDir()
    onTestFinished(dispose)
    const { root, git } = await repository()
    git('worktree', 'add', '-q', `${outer}/tree`, '-b', 'side')
    expect(git('rev-parse', 'side')).toBe(git('rev-parse', 'main'))
    const at = { ...testWorkspaceAt(`${outer}/tree/src`) }
    const inner = await over(at)
    inner.session.fs.writeFileSync('a.ts', 'inner\n')
    await inner.commit()
    expect(git('show', '--name-only', '--format=', 'side')).toBe('src/a.ts')
    expect(inner.git('status', '--porcelain', '--', 'a.ts')).toBe('')
    expect(readFileSync(`${root}/src/a.ts`, 'utf8')).toBe(FILES['src/a.ts'])
  })

  it('commits outside of a sparse checkout, except what git has there', async () => {
    const { session, commit, git, root } = await repository()
    git('sparse-checkout', 'set', 'src/sub')
    await session.selectIntent('INT-002')
    session.fs.mkdirSync('mail', { recursive: true })
    session.fs.writeFileSync('mail/new.ts', 'new\n')
    await commit()
    expect(git('show', '--name-only', '--format=', 'HEAD')).toBe('mail/new.ts')
    expect(git('ls-tree', '-r', '--name-only', 'HEAD')).toContain('mail/m.ts')
    expect(git('status', '--porcelain')).toBe('')
    rmSync(`${root}/mail/new.ts`)
    session.fs.writeFileSync('mail/m.ts', 'the agent never saw it\n')
    expect(await refusal(() => commit())).toMatchObject({
      refused: [{ path: 'mail/m.ts', message: 'mail/m.ts is in git, outside the sparse checkout.' }],
      hint: expect.stringMatching(/^Commit without --git: /),
    })
  })

  it('signs if git does, and fails before anything is written if git cannot', async () => {
    const { session, commit, git, root } = await repository()
    git('config', 'commit.gpgSign', 'true')
    git('config', 'gpg.program', '/bin/false')
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    const head = git('rev-parse', 'HEAD')
    expect((await refusal(() => commit())).message).toContain('commit-tree')
    expect(git('rev-parse', 'HEAD')).toBe(head)
    expect(readFileSync(`${root}/src/a.ts`, 'utf8')).toBe(FILES['src/a.ts'])
  })

  it('runs hooks on request only, and names those that did not run', async () => {
    const { session, commit, git, hook } = await withHooks()
    hook('pre-commit', 'exit 1')
    hook('post-commit', 'exit 1')
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    expect((await commit()).git?.hooksLeft).toEqual(['pre-commit', 'post-commit'])
    hook('commit-msg', 'echo "Ticket: 7" >> "$1"')
    hook('pre-commit', 'exit 0')
    session.fs.writeFileSync('src/a.ts', 'again\n')
    expect((await commit({ hooks: true })).git?.hooksLeft).toEqual(['post-commit'])
    expect(git('show', '-s', '--format=%B', 'HEAD')).toContain('Ticket: 7')
    hook('commit-msg', 'echo "No ticket" >&2; exit 1')
    session.fs.writeFileSync('src/a.ts', 'once more\n')
    expect((await refusal(() => commit({ hooks: true }))).message).toContain('No ticket')
  })

  it('does not name the hook that escrow has written', async () => {
    const { session, commit, root, hook } = await withHooks()
    applyGitHooks(planGitHooks(root)?.filter((plan) => plan.hook === 'post-commit') ?? [])
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    expect((await commit()).git?.hooksLeft).toEqual([])
    hook('post-commit', 'exit 1')
    applyGitHooks(planGitHooks(root)?.filter((plan) => plan.hook === 'post-commit') ?? [])
    session.fs.writeFileSync('src/a.ts', 'again\n')
    expect((await commit()).git?.hooksLeft).toEqual(['post-commit'])
  })

  it('lets pre-commit see the approved changes in the index and the working tree, and drops what it writes', async () => {
    const { session, commit, git, root, hook } = await withHooks()
    hook('pre-commit', 'git diff --cached --name-status; cat src/a.ts; touch src/written ../outside; exit 1')
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    session.fs.writeFileSync('src/new.ts', 'new\n')
    const head = git('rev-parse', 'HEAD')
    const { message, output } = await refusal(() => commit({ hooks: true }))
    expect(message).toBe('The pre-commit hook refused the commit, so nothing was committed: changed')
    expect(output).toBe('M\tsrc/a.ts\nA\tsrc/new.ts\nchanged\n')
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain')]).toEqual([head, ''])
    expect(existsSync(`${root}/../outside`)).toBe(false)
    hook('pre-commit', 'touch src/written')
    expect((await commit({ hooks: true })).git?.hooksLeft).toEqual([])
    expect(git('status', '--porcelain')).toBe('')
  })

  it('refuses the commit if pre-commit stages other contents', async () => {
    const { session, commit, git, hook } = await withHooks()
    hook('pre-commit', 'echo formatted > src/a.ts; git add src/a.ts')
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    const { message, output } = await refusal(() => commit({ hooks: true }))
    expect(message).toMatch(/: it staged other contents of these files than those that were approved\.$/)
    expect(output).toMatch(/^src\/a\.ts\n/)
    expect(git('status', '--porcelain')).toBe('')
  })

  it('does not run pre-commit for another branch, whose files are not in the working tree', async () => {
    const { session, commit, hook } = await withHooks()
    hook('pre-commit', 'exit 1')
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    expect((await commit({ hooks: true, branch: 'topic' })).git?.hooksLeft).toEqual(['pre-commit'])
  })

  it('keeps its commit under a separate ref if the branch moved meanwhile', async () => {
    const { session, commit, git, root } = await repository()
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    const {
      git: made,
      warnings,
      id,
    } = await commit({
      edit: async (text) => {
        // After the branch was read, another program commits.
        git('commit', '-q', '--allow-empty', '-m', 'theirs')
        return text
      },
    })
    expect(warnings?.join()).toContain(`refs/escrow/${id}`)
    expect(git('rev-parse', `refs/escrow/${id}`)).toBe(made?.commits[0])
    expect(git('show', '-s', '--format=%s', 'HEAD')).toBe('theirs')
    expect(readFileSync(`${root}/src/a.ts`, 'utf8')).toBe('changed\n')
    git('checkout', '-q', '--', 'src/a.ts')
    git('cherry-pick', `refs/escrow/${id}`)
    expect(readFileSync(`${root}/src/a.ts`, 'utf8')).toBe('changed\n')
  })

  it('is made by every commit if policy says so, unless the caller declines', async () => {
    const { session, workspace, git, write } = await repository()
    write('.orchestration/policy.yaml', 'commit: { git: true, per: intent }\n')
    const commit = async (options: { git?: false } = {}) => {
      const review = await workspace.review(session.id)
      await review.changes()
      await review.approve(undefined, { name: 'Ann' })
      return review.commit(options)
    }
    session.fs.writeFileSync('src/a.ts', 'one\n')
    expect((await commit()).git?.commits).toEqual([git('rev-parse', 'HEAD')])
    session.fs.writeFileSync('src/new.ts', 'two\n')
    expect((await commit({ git: false })).git).toBeUndefined()
    expect(git('status', '--porcelain')).toBe('?? src/new.ts')
  })

  it('is refused without a repository', async () => {
    const outside = await over(testWorkspace())
    outside.session.fs.writeFileSync('src/a.ts', 'changed\n')
    expect(await refusal(() => outside.commit())).toMatchObject({
      message: expect.stringContaining('not in a git repository'),
    })
  })
})

async function refusalOrResult(run: () => Promise<CommitResult>): Promise<void> {
  const { git: made } = await run()
  expect(made?.commits).toHaveLength(1)
}

/** A workspace in a directory that exists. */
function testWorkspaceAt(root: string): ReturnType<typeof testWorkspace> {
  const project = testWorkspace({}, '')
  const write = (path: string, text: string) => {
    mkdirSync(`${root}/${path}`.replace(/\/[^/]*$/, ''), { recursive: true })
    writeFileSync(`${root}/${path}`, text)
  }
  write('.orchestration/active_intents.yaml', INTENTS.replace('src/**', '**'))
  trust(root)
  const open = async () => {
    const workspace = await openWorkspace(root)
    onTestFinished(() => workspace.close())
    return workspace
  }
  return { ...project, root, write, open }
}
