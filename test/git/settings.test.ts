import { chmodSync, lstatSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { CommitResult, GitCommitOptions, Session } from '../../src/index.js'
import { git, initRepository } from '../support/git.js'
import { FILES, startSession, testWorkspace } from '../support/workspace.js'

interface Repository {
  readonly root: string
  readonly session: Session
  git(...args: string[]): string
  write(path: string, text: string): void
  commit(options?: GitCommitOptions): Promise<CommitResult>
}

/** A workspace whose files are committed on `main`, and an agent's session. @param prepare changes the repository first */
async function repository(
  prepare: (git: (...args: string[]) => string, root: string) => void = () => undefined,
  files: Readonly<Record<string, string>> = FILES,
): Promise<Repository> {
  const project = testWorkspace(files)
  initRepository(project.root, { ignore: '.orchestration/\n' })
  const run = (...args: string[]) => git(project.root, ...args).trimEnd()
  prepare(run, project.root)
  const workspace = await project.open()
  const session = await startSession(workspace)
  return {
    ...{ root: project.root, session, write: project.write, git: run },
    async commit(options = {}) {
      const review = await workspace.review(session.id)
      await review.changes()
      await review.approve(undefined, { name: 'Änne', email: 'ann@example.org' })
      return review.commit({ git: options })
    },
  }
}

describe('encodings', () => {
  it('the message is UTF-8, whatever i18n.commitEncoding says', async () => {
    const {
      session,
      commit,
      git: run,
    } = await repository((set) => {
      set('config', 'i18n.commitEncoding', 'ISO-8859-1')
      set('config', 'i18n.logOutputEncoding', 'ISO-8859-1')
    })
    session.fs.writeFileSync('src/a.ts', 'agent\n')
    await commit({ message: 'Straße' })
    expect(
      run('-c', 'i18n.logOutputEncoding=UTF-8', 'log', '-1', '--format=%s %(trailers:key=Reviewed-by,valueonly)'),
    ).toContain('Straße Änne')
  })
})

describe('settings of trailers', () => {
  it.each([
    ['trailer.separators', '%'],
    ['trailer.ifMissing', 'doNothing'],
    ['trailer.where', 'start'],
    ['trailer.ifExists', 'replace'],
    ['trailer.intent.ifMissing', 'doNothing'],
    ['trailer.rev.key', 'Foo: '],
    ['trailer.trace.key', 'Bar: '],
    ['core.commentChar', 'R'],
  ])('%s = %s changes no trailer', async (key, value) => {
    const { session, commit, git: run } = await repository((set) => set('config', key, value))
    session.fs.writeFileSync('src/a.ts', 'agent\n')
    await commit({ message: 'Subject\n\nIntent: INT-000' })
    expect(run('cat-file', 'commit', 'HEAD').split('\n').slice(5)).toEqual([
      'Subject',
      '',
      'Intent: INT-000',
      'Intent: INT-001',
      'Assisted-by: tester:m-1',
      'Reviewed-by: Änne <ann@example.org>',
      expect.stringMatching(/^Trace-Head: \d+:[0-9a-f]{64}$/),
    ])
  })
})

describe('the ref', () => {
  it('a branch that is a symbolic ref stays one, and the branch that it names moves', async () => {
    const {
      session,
      commit,
      git: run,
    } = await repository((set) => {
      set('branch', 'trunk')
      set('symbolic-ref', 'refs/heads/master', 'refs/heads/trunk')
      set('symbolic-ref', 'refs/heads/old-main', 'refs/heads/main')
    })
    session.fs.writeFileSync('src/a.ts', 'agent\n')
    const before = run('rev-parse', 'trunk')
    await commit({ branch: 'master', wholeFiles: true })
    expect(run('symbolic-ref', 'refs/heads/master')).toBe('refs/heads/trunk')
    expect(run('rev-parse', 'trunk^')).toBe(before)
    session.fs.writeFileSync('src/b.ts', 'agent\n')
    await commit({ branch: 'old-main' })
    expect(run('symbolic-ref', 'refs/heads/old-main')).toBe('refs/heads/main')
    expect(run('show', 'main:src/b.ts')).toBe('agent')
    expect(run('status', '--porcelain', 'src/b.ts')).toBe('')
  })

  it.each(['a lock', 'a hook'])('that %s keeps from moving is not said to have moved', async (what) => {
    const { session, commit, root } = await repository()
    if (what === 'a lock') writeFileSync(join(root, '.git/refs/heads/main.lock'), '')
    else {
      mkdirSync(join(root, '.git/hooks'), { recursive: true })
      writeFileSync(
        join(root, '.git/hooks/reference-transaction'),
        '#!/bin/sh\n[ "$1" = prepared ] && grep -q refs/heads/main && { echo no way >&2; exit 1; }\nexit 0\n',
      )
      chmodSync(join(root, '.git/hooks/reference-transaction'), 0o755)
    }
    session.fs.writeFileSync('src/a.ts', 'agent\n')
    const { warnings } = await commit()
    expect(warnings?.join()).not.toContain('moved meanwhile')
    expect(warnings?.join()).toContain(what === 'a lock' ? 'main.lock' : 'no way')
    expect(warnings?.join()).toMatch(/refs\/escrow\//)
  })
})

describe('modes', () => {
  const makeExecutable = (set: (...args: string[]) => string) => {
    set('config', 'core.fileMode', 'false')
    set('update-index', '--chmod=+x', 'src/a.ts')
    set('commit', '-q', '-m', 'executable')
  }

  it('of files that the agent did not change stay where core.fileMode is false', async () => {
    const { session, commit, git: run } = await repository(makeExecutable)
    session.fs.writeFileSync('src/a.ts', 'agent\n')
    session.fs.chmodSync('src/b.ts', 0o755)
    session.fs.writeFileSync('src/new.ts', 'new\n', { mode: 0o755 })
    await commit()
    const modes = run('ls-tree', '-r', '--format=%(objectmode) %(path)', 'HEAD', 'src').split('\n')
    expect(modes).toEqual(['100755 src/a.ts', '100755 src/b.ts', '100755 src/new.ts', '100644 src/sub/c.ts'])
  })

  it('of renamed files stay where core.fileMode is false', async () => {
    const { session, commit, git: run } = await repository(makeExecutable)
    session.fs.renameSync('src/a.ts', 'src/z.ts')
    await commit()
    expect(run('ls-tree', '--format=%(objectmode)', 'HEAD', 'src/z.ts')).toBe('100755')
  })

  it("that a person changed and did not commit are a person's edits", async () => {
    const { session, commit, git: run, root } = await repository()
    chmodSync(join(root, 'src/a.ts'), 0o755)
    session.fs.writeFileSync('src/a.ts', 'agent\n')
    await expect(commit()).rejects.toMatchObject({
      refused: [{ path: 'src/a.ts', message: 'src/a.ts has an uncommitted mode that the agent did not set.' }],
    })
    await commit({ wholeFiles: true })
    expect(run('ls-tree', '--format=%(objectmode)', 'HEAD', 'src/a.ts')).toBe('100755')
  })

  it('a link stays one where core.symlinks is false', async () => {
    const {
      session,
      commit,
      git: run,
    } = await repository((set, root) => {
      set('config', 'core.symlinks', 'true')
      symlinkSync('a.ts', join(root, 'src/link'))
      set('add', 'src/link')
      set('commit', '-q', '-m', 'a link')
      set('config', 'core.symlinks', 'false')
      rmSync(join(root, 'src/link'))
      set('checkout', '-q', '--', 'src/link')
      expect(lstatSync(join(root, 'src/link')).isFile()).toBe(true)
    })
    session.fs.writeFileSync('src/link', 'b.ts')
    await commit()
    expect(run('ls-tree', '-r', '--format=%(objectmode) %(path)', 'HEAD', 'src/link')).toBe('120000 src/link')
    expect(run('show', 'HEAD:src/link')).toBe('b.ts')
    expect(run('status', '--porcelain')).toBe('')
  })
})

describe('files and directories', () => {
  it('a file that becomes a directory, and back', async () => {
    const { session, commit, git: run } = await repository()
    session.fs.rmSync('src/a.ts')
    session.fs.mkdirSync('src/a.ts')
    session.fs.writeFileSync('src/a.ts/x', 'x\n')
    await commit()
    expect(run('status', '--porcelain')).toBe('')
    session.fs.rmSync('src/a.ts', { recursive: true })
    session.fs.writeFileSync('src/a.ts', 'back\n')
    await commit()
    expect(run('status', '--porcelain')).toBe('')
    expect(run('show', 'HEAD:src/a.ts')).toBe('back')
  })

  it('a rename that changes only case, where core.ignoreCase is true', async () => {
    const { session, commit, git: run } = await repository((set) => set('config', 'core.ignoreCase', 'true'))
    session.fs.renameSync('src/a.ts', 'src/A.ts')
    await commit()
    expect(run('ls-tree', '-r', '--name-only', 'HEAD', 'src').split('\n')).toEqual([
      'src/A.ts',
      'src/b.ts',
      'src/sub/c.ts',
    ])
    expect(run('ls-files', 'src').split('\n')).toEqual(['src/A.ts', 'src/b.ts', 'src/sub/c.ts'])
  })
})

describe('content filters', () => {
  it.each([
    ['core.autocrlf', 'true', ''],
    ['core.eol', 'crlf', '* text=auto eol=crlf\n'],
    ['filter.up.clean', 'tr a-z A-Z', '*.ts filter=up\n'],
    ['core.safecrlf', 'warn', '*.ts text eol=crlf ident\n'],
    ['core.x', 'y', '*.ts text working-tree-encoding=UTF-16\n'],
  ])('%s=%s %j: git is clean after a commit', async (key, value, attributes) => {
    const {
      session,
      commit,
      git: run,
    } = await repository((set, root) => {
      set('config', key, value)
      if (key === 'filter.up.clean') set('config', 'filter.up.smudge', 'tr A-Z a-z')
      writeFileSync(join(root, '.gitattributes'), attributes)
      set('checkout', '-q', '--', 'src/b.ts')
      if (key === 'core.x') writeFileSync(join(root, 'src/b.ts'), Buffer.from('\ufeffb\n', 'utf16le'))
      set('add', '.gitattributes')
      set('add', ...(key === 'core.x' ? ['src/b.ts'] : ['--renormalize', '.']))
      set('commit', '-q', '-m', 'attributes')
      set('rm', '-q', '--cached', '-r', 'src')
      set('reset', '-q', '--hard')
    })
    const before = session.fs.readFileSync('src/b.ts')
    session.fs.writeFileSync('src/b.ts', Buffer.concat([before, before.subarray(key === 'core.x' ? 2 : 0)]))
    await commit()
    expect(run('status', '--porcelain')).toBe('')
  })
})

it('a sparse partial clone needs none of the files that it lacks', async () => {
  const {
    session,
    commit,
    git: run,
  } = await repository((set, root) => {
    const blob = set('rev-parse', 'HEAD:src/b.ts')
    set('update-index', '--skip-worktree', 'src/b.ts')
    rmSync(join(root, 'src/b.ts'))
    rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)))
    set('config', 'core.repositoryFormatVersion', '1')
    set('config', 'extensions.partialClone', 'origin')
    set('config', 'remote.origin.url', 'file:///nowhere')
    set('config', 'remote.origin.promisor', 'true')
  })
  session.fs.writeFileSync('src/a.ts', 'agent\n')
  await commit()
  expect(run('ls-tree', '--name-only', 'HEAD', 'src/')).toBe('src/a.ts\nsrc/b.ts\nsrc/sub')
  expect(run('ls-files', '-t', 'src')).toBe('H src/a.ts\nS src/b.ts\nH src/sub/c.ts')
})

it('a file that a sparse checkout leaves out is named as one', async () => {
  const { session, commit } = await repository((set) => set('sparse-checkout', 'set', '--no-cone', '/*', '!/src/a.ts'))
  session.fs.writeFileSync('src/a.ts', 'agent\n')
  await expect(commit()).rejects.toMatchObject({
    refused: [{ message: 'src/a.ts is in git, outside the sparse checkout.' }],
  })
})

it('names each hook of git commit that does not run', async () => {
  const { session, commit } = await repository((_set, root) => {
    mkdirSync(join(root, '.git/hooks'), { recursive: true })
    for (const name of ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'pre-push'])
      writeFileSync(join(root, '.git/hooks', name), '#!/bin/sh\n', { mode: 0o755 })
  })
  session.fs.writeFileSync('src/a.ts', 'agent\n')
  expect((await commit()).git?.hooksLeft).toEqual(['pre-commit', 'prepare-commit-msg', 'commit-msg'])
  session.fs.writeFileSync('src/a.ts', 'again\n')
  expect((await commit({ hooks: true, branch: 'other', wholeFiles: true })).git?.hooksLeft).toEqual([
    'pre-commit',
    'prepare-commit-msg',
  ])
})

describe('variables', () => {
  it.each([
    ...['GIT_GLOB_PATHSPECS', 'GIT_NOGLOB_PATHSPECS', 'GIT_ICASE_PATHSPECS'].map((name) => [name, '1']),
    ...['GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE', 'GIT_OBJECT_DIRECTORY'].map((name) => [name, '/dev/null']),
    ['GIT_INDEX_VERSION', '4'],
    ['GIT_DEFAULT_HASH', 'sha256'],
    ['GIT_ATTR_SOURCE', 'HEAD'],
  ])('%s=%s does not change a commit', async (name, value) => {
    const { session, commit, git: run } = await repository()
    session.fs.writeFileSync('src/a.ts', 'agent\n')
    vi.stubEnv(name, value)
    onTestFinished(() => void vi.unstubAllEnvs())
    const { warnings } = await commit()
    vi.unstubAllEnvs()
    expect(warnings).toBeUndefined()
    expect(run('show', 'HEAD:src/a.ts')).toBe('agent')
    expect(run('status', '--porcelain')).toBe('')
  })
})

it("a message quotes what git printed in one line, because it shows line breaks as '^J'", async () => {
  const { root, session, commit } = await repository()
  session.fs.writeFileSync('src/a.ts', 'agent\n')
  writeFileSync(join(root, '.git/index.lock'), '')
  const said = await commit().then(JSON.stringify, (error: Error) => error.message)
  expect(said).toMatch(/index\.lock': File exists\.; Another git process/)
})
