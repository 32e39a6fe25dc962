import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { createHonestPullRequest, removeTemplates, repository, withLastVerdict } from '../pull-request/repository.js'
import { escrowAt, runEscrow } from './real.js'

// The machine that runs these tests may be a forge's runner.
beforeEach(() => {
  for (const name of ['GITHUB_ACTIONS', 'GITLAB_CI']) vi.stubEnv(name, '')
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await removeTemplates()
})

it('passes an honest pull request, and prints a summary or JSON', async () => {
  const pr = await createHonestPullRequest()
  const { code, out } = await escrowAt(pr.root, ['ci', '--base', 'main', '--require-trailers'])
  expect([code, out]).toEqual([0, expect.stringContaining('src/a.ts  3      2          m-1    INT-001  Ada\n')])
  const { out: text } = await escrowAt(pr.root, ['ci', '--base', 'main', '--json'])
  expect(JSON.parse(text)).toMatchObject({
    problems: [],
    files: [{ path: 'docs/x.md' }, { path: 'src/a.ts', approvers: ['Ada'], unapproved: [] }],
  })
})

it('fails for lines that nobody approved, and writes the requested files', async () => {
  const pr = await repository()
  await pr.agent(({ fs }) => fs.writeFileSync('src/a.ts', 'x\n'), 'none')
  pr.writeLedger(withLastVerdict(pr.ledger(), { verdict: 'rejected' }))
  pr.commit()
  const files = ['--summary', '.git/s.md', '--code-quality', '.git/q.json', '--badge', '.git/b.svg']
  const { code, out } = await escrowAt(pr.root, ['ci', '--base', 'main', ...files])
  expect([code, out]).toEqual([1, expect.stringContaining('an agent wrote line 1')])
  expect(pr.read('.git/s.md')).toContain('- ❌ src/a.ts: an agent wrote line 1')
  expect(JSON.parse(pr.read('.git/q.json'))).toMatchObject([{ location: { path: 'src/a.ts' } }])
  expect(pr.read('.git/b.svg')).toContain('1 unapproved')
})

it.each([
  [[], 'The target branch is not known'],
  [['--base', 'no-such-branch'], 'Git knows no commit no-such-branch'],
  [['--base', '--output=x'], 'Git knows no commit'],
  [['--base', 'main', '--keys', 'keys'], 'The target branch has no NAME.pub.pem in keys'],
])('exits with 2 if it cannot check: %j', async (options, message) => {
  const pr = await repository()
  const { code, err } = await escrowAt(pr.root, ['ci', ...options])
  expect([code, err]).toEqual([2, expect.stringContaining(message)])
})

it('needs no workspace in the checkout', async () => {
  const pr = await createHonestPullRequest()
  rmSync(`${pr.root}/.orchestration`, { recursive: true })
  expect((await escrowAt(pr.root, ['ci', '--base', 'main'])).code).toBe(0)
  expect(readFileSync(`${pr.root}/src/a.ts`, 'utf8')).toContain('agent 2')
})

it.each(['INT', 'TERM', 'HUP'])('leaves no temporary files when SIG%s ends it', async (signal) => {
  const pr = await createHonestPullRequest()
  const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const temporary = mkdtempSync(join(tmpdir(), 'escrowfs-ci-signal-'))
  onTestFinished(() => rmSync(temporary, { recursive: true, force: true }))
  mkdirSync(join(temporary, 'bin'))
  mkdirSync(join(temporary, 'files'))
  const lines = [
    '#!/bin/sh',
    `case "$*" in *--raw*) ls ${temporary}/files > ${temporary}/seen; kill -${signal} $PPID ;; esac`,
  ]
  writeFileSync(join(temporary, 'bin/git'), `${lines.join('\n')}\nexec ${git} "$@"\n`, { mode: 0o755 })
  const env = { ...process.env, PATH: `${temporary}/bin:${process.env.PATH}`, TMPDIR: join(temporary, 'files') }
  const { status, stdout } = runEscrow(pr.root, ['ci', '--base', 'main'], { env })
  expect([status, stdout]).toEqual([null, ''])
  expect(readFileSync(join(temporary, 'seen'), 'utf8')).toMatch(/^escrow-ci-/)
  expect(readdirSync(join(temporary, 'files'))).toEqual([])
})
