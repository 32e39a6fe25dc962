import fs from 'node:fs'
import { type Attack, type AttackClass, attempt, type Deed, does } from '../row.js'
import { MARK } from '../world.js'

const FOREVER = { recursive: true, force: true }
const row = (op: string, ...args: unknown[]): Attack => ({
  name: `${op}(${args.filter((arg) => typeof arg === 'string').join(', ')})`,
  deed: does(op, ...args),
})

const renames: readonly Attack[] = [
  row('rename', '.', 'src/all'),
  row('rename', 'src', 'lib2'),
  row('rename', 'src', '../taken'),
  row('rename', 'lib', 'src/lib'),
  row('rename', 'src/deep', 'lib/deep2'),
  row('rename', 'src/deep', '.git'),
  row('rename', 'src/deep', 'src/.git'),
  row('rename', 'src/deep', 'src/nested/.git'),
  row('rename', '.git', 'src/git'),
  row('rename', '.orchestration', 'src/conf'),
  row('rename', 'src/a.ts', '.orchestration/policy.yaml'),
  row('rename', 'src/a.ts', 'src/.intentignore'),
  row('rename', '.orchestration/policy.yaml', 'src/policy.yaml'),
  { ...row('rename', 'src/nested', 'src/moved'), from: 'sandbox-runtime: mv .git' },
  row('rename', 'src/hidden', 'src/seen'),
  row('rename', 'src/locked', 'src/open'),
  row('rename', 'src/frozen', 'src/thawed'),
  row('rename', 'src/legacy', 'src/modern'),
  row('rename', 'src/deep', 'src/hidden'),
  row('rename', 'src/deep', 'src/ghost'),
  row('rename', 'src/a.ts', 'src/hidden/secret.ts'),
  row('rename', 'src/a.ts', 'src/locked/r.ts'),
  row('rename', 'OUTER/sibling/s.txt', 'src/s.txt'),
  row('rename', 'src/a.ts', 'OUTER/sibling/a.ts'),
]

const removals: readonly Attack[] = [
  row('rm', '.', FOREVER),
  row('rm', 'ROOT', FOREVER),
  row('rm', 'OUTER', FOREVER),
  row('rm', '..', FOREVER),
  row('rm', 'src', FOREVER),
  row('rm', 'src/nested', FOREVER),
  row('rm', 'src/hidden', FOREVER),
  row('rm', 'src/to-sibling/', FOREVER),
  row('rm', 'src/to-lib/.', FOREVER),
  row('rm', '.git', FOREVER),
  row('rm', '.orchestration', FOREVER),
  row('rm', '.orchestration/policy.yaml', FOREVER),
  row('rm', 'src/frozen', FOREVER),
  row('rmdir', 'src/to-root/src/../lib/deep'),
  row('unlink', '.orchestration/active_intents.yaml'),
  row('unlink', 'src/nested/.git/config'),
]

const copies: readonly Attack[] = [
  row('cp', 'src/deep', 'lib/deep3', FOREVER),
  row('cp', 'src/nested', 'src/copy', FOREVER),
  row('cp', 'src/nested', '../copy', FOREVER),
  row('cp', 'src/deep', '.git/hooks', FOREVER),
  row('cp', 'src/deep', 'src/hidden', FOREVER),
  row('cp', 'src/deep', 'src/to-abs', FOREVER),
  row('cp', 'src/nested/.git', 'src/.git', FOREVER),
  row('cp', 'src/hidden', 'src/shown', FOREVER),
  row('cp', 'src/private', 'src/public', FOREVER),
  row('copyFile', 'src/hidden/secret.ts', 'src/shown.ts'),
  row('copyFile', 'src/private/p.ts', 'src/shown.ts'),
  row('copyFile', 'src/a.ts', '.git/hooks/pre-commit'),
  row('copyFile', 'src/a.ts', '.orchestration/active_intents.yaml'),
]

const temps: readonly Attack[] = [
  'lib/x-',
  '../sibling/x-',
  'src/../lib/t-',
  '.git/',
  'src/nested/.git/',
  'src/hidden/',
  'src/to-abs/',
  '.orchestration/sessions/',
  'OUTER/home/',
].map((prefix) => row('mkdtemp', prefix))

/** Put together where it is allowed, then moved where it is not. */
const built = (name: string, deed: Deed): Attack => ({ name, deed })
const assembled: readonly Attack[] = [
  built('a repository made under another name', async ({ act, fs: api }) => {
    attempt(() => api.mkdirSync('src/repo/hooks', { recursive: true }))
    attempt(() => api.writeFileSync('src/repo/hooks/post-checkout', MARK))
    await act('rename', 'src/repo', 'src/.git')
    await act('cp', 'src/repo', 'src/.GIT', { recursive: true })
  }),
  built('a protected directory made by a rename of its parent', async ({ act, fs: api }) => {
    attempt(() => api.mkdirSync('src/v/tasks', { recursive: true }))
    attempt(() => api.writeFileSync('src/v/tasks/x', MARK))
    await act('rename', 'src/v', 'src/nested/.git')
    await act('rename', 'src/v', '.vscode')
  }),
  built('what is protected taken away with its parent, then replaced', async ({ act, fs: api }) => {
    await act('rename', 'src/nested', 'src/gone')
    attempt(() => api.mkdirSync('src/nested/.git', { recursive: true }))
    await act('writeFile', 'src/nested/.git/config', MARK)
  }),
  built('an out-of-scope directory replaced by a staged one', async ({ act, fs: api }) => {
    attempt(() => api.mkdirSync('src/fake'))
    await act('rename', 'src/fake', 'lib')
    await act('rename', 'lib', 'src/fake')
  }),
  built('its scope’s own root replaced by a link', async ({ act }) => {
    await act('rm', 'src', { recursive: true, force: true })
    await act('rename', 'src', 'src-old')
    await act('symlink', 'lib', 'src')
    await act('writeFile', 'src/out.ts', MARK)
  }),
  built('names below a directory that is hidden', async ({ act, fs: api }) => {
    attempt(() => api.mkdirSync('src/hidden/x', { recursive: true }))
    await act('writeFile', 'src/hidden/secret.ts', MARK)
    await act('writeFile', 'src/hidden/new.ts', MARK)
  }),
]

/** The session's own files, and those of people and other sessions. */
const ours: readonly Attack[] = [
  '.orchestration/agent_trace.jsonl',
  '.orchestration/ledger.d/1',
  '.orchestration/commits/1',
  '.orchestration/tx/1/x',
  '.orchestration/locks/commit',
  '.orchestration/sessions/SELF/review.jsonl',
  '.orchestration/sessions/SELF/owner',
  '.orchestration/sessions/SELF/claim.json',
  '.orchestration/sessions/other/review.jsonl',
  '.orchestration/.gitignore',
  '.orchestration/intent_map.md',
  'src/to-orch/sessions/SELF/review.jsonl',
].map((path) => ({
  name: path,
  from: 'Cursor CVE-2025-54136',
  deed: async ({ act, fs: api, session, world }) => {
    const at = path.replace('SELF', session?.id ?? 'self')
    attempt(() => api.mkdirSync(at.slice(0, at.lastIndexOf('/')), { recursive: true }))
    for (const op of ['writeFile', 'appendFile']) {
      await act(op, at, MARK)
      await act(op, `${world.root}/${at}`, MARK)
    }
  },
}))

const SETUID = 0o4755
const modes: readonly Attack[] = [
  row('chmod', 'src/a.ts', SETUID),
  row('chmod', 'src/deep', 0o2777),
  row('writeFile', 'src/suid', 'x', { mode: SETUID }),
  row('mkdir', 'src/sgid', { mode: 0o2777 }),
  {
    name: 'a set-user-id file copied',
    setUp: ({ root }) => fs.chmodSync(`${root}/src/b.ts`, SETUID),
    deed: async ({ act }) => {
      await act('copyFile', 'src/b.ts', 'src/b-copy')
      await act('cp', 'src/b.ts', 'src/b-cp')
    },
  },
  { ...row('chown', 'src/a.ts', 12345, 12345), keeps: ['ws/src/a.ts'] },
  row('chmod', 'lib/out.ts', 0o777),
  row('chmod', '.', 0o777),
  row('chown', 'ROOT', 12345, 12345),
  row('utimes', '.', 1, 1),
]

export const trees: readonly AttackClass[] = [
  { kind: 'renames of ancestors', rows: renames },
  { kind: 'removals of ancestors', rows: removals },
  { kind: 'copies', rows: copies },
  { kind: 'mkdtemp prefixes', rows: temps },
  { kind: 'put together, then moved', rows: assembled },
  { kind: 'policy, ledger and session files', rows: ours },
  { kind: 'modes and owners', rows: modes },
]
