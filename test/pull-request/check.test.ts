import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { openWorkspace } from '../../src/index.js'
import { problemsOf } from '../../src/pull-request/problems.js'
import { git } from '../support/git.js'
import { trust } from '../support/trust.js'
import {
  append,
  changeAndRechain,
  check as checkRepository,
  createHonestPullRequest,
  LEDGER,
  removeTemplates,
  repository,
  repositoryAt,
  sha256,
  withLastVerdict,
} from './repository.js'

const check = async (...args: Parameters<typeof checkRepository>) => {
  const report = await checkRepository(...args)
  return { ...report, problems: problemsOf(report) }
}

afterAll(removeTemplates)

/** Settings that would change what `git diff` prints. */
const HIDING = {
  'diff.external': 'true',
  'diff.interHunkContext': '9',
  'diff.noprefix': 'true',
  'color.ui': 'always',
  'diff.context': '7',
}

describe('a valid pull request', () => {
  it('has every agent line approved, and people’s lines credited to people', async () => {
    const pr = await createHonestPullRequest()
    const report = await check(pr, { requireTrailers: true })
    expect([report.problems, report.notes]).toEqual([[], []])
    expect(report.files).toEqual([
      {
        path: 'docs/x.md',
        lines: 1,
        agent: 0,
        models: new Set(),
        intents: new Set(),
        approvers: new Set(),
        unapproved: [],
      },
      {
        ...{ path: 'src/a.ts', lines: 3, agent: 2 },
        ...{ models: new Set(['m-1']), intents: new Set(['INT-001']), approvers: new Set(['Ada']), unapproved: [] },
      },
    ])
  })

  it('names the rule that released a line', async () => {
    const pr = await repository()
    await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'), 'none')
    pr.writeLedger(withLastVerdict(pr.ledger(), { rule: { tier: 'docs', policy: 'sha256:1' } }))
    pr.commit()
    const { problems, files } = await check(pr)
    expect([problems, files.map(({ approvers }) => approvers)]).toEqual([[], [new Set(['Ada', 'rule docs'])]])
  })

  it('may have no agent’s work, with or without a ledger', async () => {
    const pr = await repository()
    pr.write('src/a.ts', 'by hand\n')
    pr.commit()
    expect((await check(pr)).problems).toEqual([])
    pr.git('checkout', '-q', '--orphan', 'bare')
    pr.git('rm', '-rqf', '.')
    pr.write('a.txt', 'a\n')
    pr.commit()
    pr.git('checkout', '-q', '-b', 'bare-work')
    pr.write('a.txt', 'a\nb\n')
    pr.commit()
    const { problems, notes, files } = await check(pr, { base: 'bare' })
    expect([problems, files.map(({ path, lines, agent }) => [path, lines, agent])]).toEqual([[], [['a.txt', 1, 0]]])
    expect(notes).toEqual(['There is no ledger at .orchestration/agent_trace.jsonl: every line counts as a person’s.'])
  })

  it('gets a note for commits without a trailer, or fails if trailers are required', async () => {
    const pr = await repository()
    await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'), 'none')
    expect(await check(pr)).toMatchObject({
      problems: [],
      notes: [expect.stringContaining('has no `Trace-Head:` trailer')],
    })
    expect((await check(pr, { requireTrailers: true })).problems).toEqual([
      expect.stringMatching(/^Commit [0-9a-f]{12} changes .* --trailer "\$\(escrow trailer\)"$/),
    ])
  })

  it('needs no trailer in a commit whose records a later trailer covers', async () => {
    const pr = await repository()
    await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'), 'none')
    await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\ny\n'), 'trailer')
    expect(await check(pr, { requireTrailers: true })).toMatchObject({ problems: [], notes: [] })
    // The advice of the message: an empty commit with the trailer.
    const last = await repository()
    await last.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'), 'none')
    const line = last.ledger().at(-1) ?? ''
    const { seq } = JSON.parse(line).metadata['dev.escrowfs']
    last.git(
      'commit',
      '-q',
      '--allow-empty',
      '-m',
      'Add the trailer',
      '--trailer',
      `Trace-Head: ${seq}:${sha256(line)}`,
    )
    expect((await check(last, { requireTrailers: true })).problems).toEqual([])
  })

  it('needs no trailer in a commit of either of two branches that a later trailer covers', async () => {
    const pr = await repository()
    pr.git('checkout', '-q', '-b', 'other')
    await pr.agent(({ fs }) => fs.writeFileSync('src/b.ts', 'y\n'), 'none')
    pr.git('checkout', '-q', 'work')
    await pr.agent(({ fs }) => fs.writeFileSync('src/c.ts', 'x\n'), 'none')
    const [mine, theirs] = [pr.ledger(), pr.git('show', `other:${LEDGER}`).trimEnd().split('\n')]
    pr.git('merge', '-q', '--no-commit', '--no-ff', '-s', 'ours', 'other')
    pr.git('checkout', '-q', 'other', '--', 'src/b.ts')
    pr.writeLedger([...mine, ...theirs.filter((line) => !mine.includes(line))])
    pr.commit('Merge')
    const workspace = await openWorkspace(pr.root)
    await workspace.ledger.join({ name: 'Ada' })
    await workspace.close()
    await pr.agent(({ fs }) => fs.writeFileSync('src/d.ts', 'z\n'), 'trailer')
    expect((await check(pr, { requireTrailers: true })).problems).toEqual([])
    pr.git('reset', '-q', '--soft', 'HEAD~1')
    pr.commit('Without the trailer')
    expect((await check(pr, { requireTrailers: true })).problems).toHaveLength(3)
  })

  it('needs a trailer if a later one covers other records', async () => {
    const pr = await repository()
    await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'), 'none')
    const last = pr.ledger().length - 1
    pr.writeLedger(
      changeAndRechain(pr.ledger(), (record, at) => {
        if (at === last) record.timestamp = '2020-01-01T00:00:00.000Z'
      }),
    )
    const line = pr.ledger().at(-1) ?? ''
    const { seq } = JSON.parse(line).metadata['dev.escrowfs']
    pr.commit(`work\n\nTrace-Head: ${seq}:${sha256(line)}`)
    expect((await check(pr, { requireTrailers: true })).problems).toContainEqual(
      expect.stringContaining('has no `Trace-Head:`'),
    )
  })

  it('needs a trailer in a commit whose records a merge cuts, although a later trailer is behind them', async () => {
    const pr = await repository()
    const before = pr.ledger()
    await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'), 'none')
    const added = pr.ledger().slice(before.length)
    const forged = changeAndRechain(pr.ledger(), (record, at) => {
      if (at >= before.length) record.timestamp = '2020-01-01T00:00:00.000Z'
    })
    const last = forged.at(-1) ?? ''
    const { seq } = JSON.parse(last).metadata['dev.escrowfs']
    // The trailer covers one branch of the ledger, and the commit's own records are on the other.
    pr.writeLedger([...before, ...added, ...forged.slice(before.length)])
    pr.commit(`work\n\nTrace-Head: ${seq}:${sha256(last)}`)
    pr.git('checkout', '-q', '-b', 'other', 'HEAD~2')
    pr.write('docs/y.md', 'y\n')
    pr.commit()
    pr.git('checkout', '-q', 'work')
    pr.git('merge', '-q', '--no-commit', '--no-ff', 'other')
    pr.writeLedger(forged)
    pr.commit('Merge')
    expect((await check(pr, { requireTrailers: true })).problems).toContainEqual(
      expect.stringContaining('has no `Trace-Head:`'),
    )
  })

  it('needs a trailer in a merge whose own records a later commit cuts', async () => {
    const pr = await repository()
    const before = pr.ledger()
    pr.git('checkout', '-q', '-b', 'other')
    pr.write('docs/y.md', 'y\n')
    pr.commit()
    pr.git('checkout', '-q', 'work')
    await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'), 'none')
    const whole = pr.ledger()
    pr.git('reset', '-q', '--hard', 'HEAD~1')
    pr.git('merge', '-q', '--no-commit', '--no-ff', 'other')
    pr.writeLedger(whole)
    pr.commit('Merge')
    expect((await check(pr, { requireTrailers: true })).problems).toEqual([])
    const last = before.at(-1) ?? ''
    pr.writeLedger(before)
    pr.commit(`work\n\nTrace-Head: ${JSON.parse(last).metadata['dev.escrowfs'].seq}:${sha256(last)}`)
    expect((await check(pr, { requireTrailers: true })).problems).toContainEqual(
      expect.stringContaining('has no `Trace-Head:`'),
    )
  })

  it('needs a trailer in a commit of a branch whose files a merge drops', async () => {
    const pr = await repository()
    pr.git('checkout', '-q', '-b', 'other')
    await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'), 'none')
    pr.git('checkout', '-q', 'work')
    pr.write('docs/y.md', 'y\n')
    pr.commit()
    pr.git('merge', '-q', '-s', 'ours', '--no-edit', 'other')
    expect((await check(pr, { requireTrailers: true })).problems).toContainEqual(
      expect.stringContaining('has no `Trace-Head:`'),
    )
  })

  it('is read from git, whatever the checkout contains', async () => {
    const pr = await createHonestPullRequest()
    pr.write(LEDGER, 'nonsense\n')
    pr.write('src/a.ts', 'nonsense\n')
    expect((await check(pr)).problems).toEqual([])
    expect(pr.read(LEDGER)).toBe('nonsense\n')
  })

  it('may have its workspace in a subfolder of the repository', async () => {
    const outer = mkdtempSync(join(tmpdir(), 'escrowfs-pr-'))
    onTestFinished(() => rmSync(outer, { recursive: true, force: true }))
    const inner = await repository()
    cpSync(inner.root, join(outer, 'app'), { recursive: true })
    rmSync(join(outer, 'app', '.git'), { recursive: true })
    git(outer, 'init', '-q', '-b', 'main')
    trust(join(outer, 'app'))
    const pr = repositoryAt(join(outer, 'app'))
    pr.commit('base')
    pr.git('checkout', '-q', '-b', 'work')
    await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'))
    const { problems, notes, files } = await check(pr, { workspace: './app/', requireTrailers: true })
    expect([problems, notes, files.map(({ path, agent }) => [path, agent])]).toEqual([[], [], [['app/src/a.ts', 1]]])
    expect((await check(pr)).files.map(({ agent }) => agent)).not.toContain(1)
  })

  it('keeps the approval of lines that were moved later', async () => {
    const pr = await createHonestPullRequest()
    await pr.agent(({ fs }) => fs.renameSync('src/a.ts', 'src/b.ts'))
    const { problems, files } = await check(pr)
    expect(problems).toEqual([])
    expect(files.find(({ path }) => path === 'src/b.ts')).toMatchObject({ lines: 4, agent: 2 })
  })
})

describe('an invalid pull request', () => {
  it('lacks the last records, which its trailer names', async () => {
    const pr = await createHonestPullRequest()
    pr.writeLedger(pr.ledger().slice(0, -2))
    pr.commit()
    expect((await check(pr)).problems).toEqual([
      expect.stringMatching(
        /^The ledger is damaged from line \d+ on.* its end is in no git commit yet: add \.orchestration\/agent_trace\.jsonl to one\.$/,
      ),
    ])
  })

  it('lacks a record in the middle, or has a changed one', async () => {
    const pr = await createHonestPullRequest()
    const lines = pr.ledger()
    pr.writeLedger(lines.toSpliced(-2, 1))
    pr.commit()
    expect((await check(pr)).problems).toHaveLength(1)
    pr.writeLedger(lines.map((line) => line.replaceAll('"Ada"', '"Eve"')))
    pr.commit()
    expect((await check(pr)).problems).toHaveLength(1)
  })

  it('has a ledger that was rewritten from some line on, with a valid chain', async () => {
    const pr = await createHonestPullRequest()
    const forged = changeAndRechain(pr.ledger(), (record, at) => {
      if (at === pr.ledger().length - 2) record.timestamp = '2020-01-01T00:00:00.000Z'
    })
    pr.writeLedger(forged)
    pr.commit()
    expect((await check(pr)).problems).toEqual([expect.stringMatching(/^The ledger is damaged from line/)])
  })

  it('has another ledger than the base, or none', async () => {
    const pr = await repository()
    const restarted = pr.ledger().slice(0, 1)
    pr.writeLedger(restarted)
    pr.commit()
    expect((await check(pr)).problems).toHaveLength(1)
    rmSync(join(pr.root, LEDGER))
    pr.commit()
    expect((await check(pr)).problems).toEqual(['The ledger is gone.'])
    pr.git('config', 'core.symlinks', 'true')
    pr.write('elsewhere.jsonl', '')
    pr.git(
      'update-index',
      '--add',
      '--cacheinfo',
      `120000,${pr.git('hash-object', '-w', 'elsewhere.jsonl').trim()},${LEDGER}`,
    )
    pr.git('commit', '-q', '-m', 'a link')
    expect((await check(pr)).problems).toEqual(['The ledger is gone.'])
  })

  it('names records of a ledger that was never in a git commit', async () => {
    const pr = await repository()
    pr.git('rm', '-q', '--cached', LEDGER)
    pr.git('checkout', '-q', '--orphan', 'new')
    pr.git('commit', '-q', '-m', 'base')
    pr.git('commit', '-q', '--allow-empty', '-m', `work\n\nTrace-Head: 1:${'a'.repeat(64)}`)
    expect((await check(pr, { base: 'HEAD~1' })).problems).toEqual([
      `The ledger is not in the pull request, but a commit names its records. Add ${LEDGER} to a commit.`,
    ])
  })

  it('has agent lines without an approving verdict, with a valid chain', async () => {
    const pr = await repository()
    await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\ny\nz\n'), 'none')
    pr.writeLedger(withLastVerdict(pr.ledger(), { verdict: 'rejected' }))
    pr.commit()
    expect((await check(pr)).problems).toEqual([
      'src/a.ts: an agent wrote lines 1-3, and no record says that anybody approved it.',
    ])
  })

  it('has work that records of another tool credit to an agent', async () => {
    const pr = await createHonestPullRequest()
    pr.write('src/other.ts', 'by hand\nforeign\n')
    const range = { start_line: 2, end_line: 2, content_hash: `sha256:${sha256('foreign')}` }
    const contributor = { type: 'ai', model_id: 'other' }
    const conversations = [{ url: 'x:1', contributor, ranges: [range] }]
    const foreign = {
      version: '0.1.0',
      id: 'f1',
      timestamp: '2026-01-01T00:00:00Z',
      files: [{ path: 'src/other.ts', conversations }],
    }
    append(pr.root, LEDGER, `${JSON.stringify(foreign)}\n`)
    pr.commit()
    expect((await check(pr)).problems).toEqual([expect.stringContaining('src/other.ts: an agent wrote line 2')])
  })

  it('gets a note for links and binary files, which have no lines', async () => {
    const pr = await repository()
    pr.write('src/image.bin', 'a\0b\nc\n')
    pr.git('config', 'core.symlinks', 'true')
    const target = pr.git('hash-object', '-w', 'src/a.ts').trim()
    pr.commit()
    pr.git('update-index', '--add', '--cacheinfo', `120000,${target},src/link`)
    pr.git('commit', '-q', '-m', 'a link')
    expect(await check(pr)).toMatchObject({
      problems: [],
      notes: ['src/image.bin is binary, and was not checked.', 'src/link is not a regular file, and was not checked.'],
    })
  })

  it('cannot hide changes by attributes, git settings or file names', async () => {
    const pr = await repository()
    pr.write('.gitattributes', '* -diff binary\n')
    for (const [key, value] of Object.entries(HIDING)) pr.git('config', key, value)
    await pr.agent(({ fs }) => {
      fs.writeFileSync('src/-- [x]*.ts', 'x\ny\n')
      fs.writeFileSync('src/a.ts', 'one\n@@ -1,9 +1,9 @@\n--- a\n+++ b\ntwo\nlast')
      fs.writeFileSync('src/old.ts', 'new\nold\nnewer\n')
    })
    const { files } = await check(pr)
    const counts = files.map(({ path, lines, agent }) => [path, lines, agent])
    expect(counts.filter(([path]) => path !== '.gitattributes')).toEqual([
      ['src/-- [x]*.ts', 2, 2],
      ['src/a.ts', 4, 4],
      ['src/old.ts', 2, 2],
    ])
  })

  it('cannot be checked against a name that is not a commit or looks like an option', async () => {
    const pr = await repository()
    for (const base of ['nowhere', '--output=x', '-h']) await expect(check(pr, { base })).rejects.toThrow()
  })
})
