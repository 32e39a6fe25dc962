import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Patch, Session, Workspace } from '../../src/index.js'
import { tempDir } from '../support/facade.js'
import { git, initRepository } from '../support/git.js'
import { FILES, startSession, testWorkspace } from '../support/workspace.js'

/** Patches of a review, applied by real git, give the files that a commit of escrowfs gives. */

interface Scene {
  readonly root: string
  readonly workspace: Workspace
  readonly session: Session
  patches(...options: Parameters<Awaited<ReturnType<Workspace['review']>>['patches']>): Promise<Patch[]>
}

async function scene(files: Readonly<Record<string, string>> = FILES, isRepository = true): Promise<Scene> {
  const project = testWorkspace(files)
  if (isRepository) initRepository(project.root)
  const workspace = await project.open()
  const session = await startSession(workspace)
  return {
    ...{ root: project.root, workspace, session },
    patches: async (per) => (await workspace.review(session.id)).patches(per),
  }
}

function directory(): string {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  return path
}

/** Applies a series to a clone of the repository. Returns the clone's tree. */
function applyPatches(root: string, patches: readonly Patch[]): string {
  const clone = directory()
  execFileSync('git', ['clone', '-q', root, clone])
  const series = directory()
  for (const { name, content } of patches) writeFileSync(`${series}/${name}`, content)
  const names = patches.map(({ name }) => `${series}/${name}`)
  const person = ['-c', 'user.name=Bob', '-c', 'user.email=bob@example.org', '-c', 'commit.gpgSign=false']
  execFileSync('git', ['-C', clone, ...person, 'am', '-q', '--keep-cr', ...names])
  return git(clone, 'rev-parse', 'HEAD^{tree}')
}

async function commitAll({ root, workspace, session }: Scene): Promise<string> {
  const review = await workspace.review(session.id)
  await review.changes()
  await review.approve(undefined, { name: 'Ann', email: 'ann@example.org' })
  await review.commit()
  git(root, 'add', '-A', '-f', 'src')
  return git(root, 'write-tree')
}

describe('patches of a review', () => {
  it('are a series for git am, with the messages and trailers of commits, and change nothing', async () => {
    const { root, session, patches } = await scene()
    session.fs.writeFileSync('src/a.ts', 'a one\na 2\n')
    const before = [git(root, 'status', '--porcelain=v2', '--branch'), git(root, 'count-objects')]
    const [only, ...rest] = await patches()
    const text = Buffer.from(only?.content ?? '').toString()
    expect(rest).toEqual([])
    expect(only?.name).toBe('0001-Prices.patch')
    expect(text).toContain('Subject: [PATCH 1/1] Prices\n')
    expect(text).toContain('\nIntent: INT-001\nAssisted-by: tester:m-1\n')
    expect(text).not.toContain('Reviewed-by')
    expect([git(root, 'status', '--porcelain=v2', '--branch'), git(root, 'count-objects')]).toEqual(before)
  })

  it('give the tree of a commit: new, changed, deleted, renamed, modes, links, bytes, line ends, odd names', async () => {
    const all = await scene()
    const { session, patches, root } = all
    const { fs } = session
    fs.writeFileSync('src/a.ts', 'a one\r\na 2')
    fs.rmSync('src/b.ts')
    fs.renameSync('src/sub/c.ts', 'src/sub/d.ts')
    fs.writeFileSync('src/run.sh', '#!/bin/sh\n', { mode: 0o755 })
    fs.symlinkSync('a.ts', 'src/link')
    fs.writeFileSync('src/bytes.bin', Buffer.from([0, 255, 10, 13, 128, 0]))
    fs.writeFileSync('src/latin.txt', Buffer.from([0x63, 0x61, 0x66, 0xe9, 10]))
    fs.writeFileSync('src/empty', '')
    fs.writeFileSync('src/ä "b"\tc.ts', 'From the start\n')
    const series = await patches('step')
    expect(applyPatches(root, series)).toBe(await commitAll(all))
  })

  it('give the tree of a commit for random contents', async () => {
    const contents = fc.dictionary(
      fc.constantFrom('a.ts', 'b.ts', 'sub/c.ts', 'new.ts'),
      fc.uint8Array({ maxLength: 60 }),
      {
        minKeys: 1,
      },
    )
    await fc.assert(
      fc.asyncProperty(contents, async (files) => {
        const all = await scene()
        for (const [name, bytes] of Object.entries(files)) all.session.fs.writeFileSync(`src/${name}`, bytes)
        const series = await all.patches('all')
        expect(applyPatches(all.root, series)).toBe(await commitAll(all))
      }),
      { numRuns: 8 },
    )
  })

  it('are one for each git commit of the agent or each intent, and one for all on request', async () => {
    const { session, patches } = await scene()
    await session.toolCall({ id: 'one', tool: 'edit', kind: 'edit', why: 'First, the price' }, () => {
      session.fs.writeFileSync('src/a.ts', 'one\n')
    })
    await session.toolCall({ id: 'two', tool: 'edit', kind: 'edit', why: 'Then, the tax' }, () => {
      session.fs.writeFileSync('src/b.ts', 'two\n')
    })
    expect((await patches()).map(({ name }) => name)).toEqual(['0001-Prices.patch'])
    expect((await patches('step')).map(({ name }) => name)).toEqual([
      '0001-First-the-price.patch',
      '0002-Then-the-tax.patch',
    ])
  })

  it('name files from the top of the repository', async () => {
    const { root, patches, session } = await scene({ ...FILES, 'a.ts': 'a\n' }, false)
    git(root, 'init', '-q', '-b', 'main', '--separate-git-dir', `${directory()}/repository`)
    git(root, 'config', 'core.worktree', dirname(root))
    session.fs.writeFileSync('src/a.ts', 'changed\n')
    const [only] = await patches()
    expect(Buffer.from(only?.content ?? '').toString()).toContain(`+++ b/${basename(root)}/src/a.ts\n`)
  })

  it("need no repository, and contain the bytes whatever git's settings are", async () => {
    const settings = directory()
    writeFileSync(
      `${settings}/config`,
      `[core]\n\tautocrlf = true\n\tattributesFile = ${settings}/attributes\n[filter "up"]\n\tclean = tr a-z A-Z\n` +
        `[diff]\n\tnoprefix = true\n\texternal = false\n[format]\n\tattach = true\n\tsignOff = true\n`,
    )
    writeFileSync(`${settings}/attributes`, '* filter=up diff=odd\n')
    vi.stubEnv('GIT_CONFIG_GLOBAL', `${settings}/config`)
    const { session, patches } = await scene(FILES, false)
    session.fs.writeFileSync('src/.gitattributes', '* filter=up\n')
    session.fs.writeFileSync('src/a.ts', 'lower\r\n')
    const [only] = await patches()
    const text = Buffer.from(only?.content ?? '').toString()
    expect(text).toContain('diff --git a/src/a.ts b/src/a.ts')
    expect(text).toContain('\n+lower\r\n')
    expect(text).not.toContain('Signed-off-by')
    vi.unstubAllEnvs()
  })

  it('refuse an empty stage', async () => {
    const { patches } = await scene()
    await expect(patches()).rejects.toMatchObject({ reason: 'nothing_selected' })
  })
})
