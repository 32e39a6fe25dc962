import fs from 'node:fs'
import { type Action, type Attack, type AttackClass, attempt, callOp } from '../row.js'
import { MARK } from '../world.js'

const FORCE = { recursive: true, force: true }
const row = (op: string, ...args: unknown[]): Attack => ({
  name: `${op}(${args.filter((arg) => typeof arg === 'string').join(', ')})`,
  action: callOp(op, ...args),
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
  row('rm', '.', FORCE),
  row('rm', 'ROOT', FORCE),
  row('rm', 'OUTER', FORCE),
  row('rm', '..', FORCE),
  row('rm', 'src', FORCE),
  row('rm', 'src/nested', FORCE),
  row('rm', 'src/hidden', FORCE),
  row('rm', 'src/to-sibling/', FORCE),
  row('rm', 'src/to-lib/.', FORCE),
  row('rm', '.git', FORCE),
  row('rm', '.orchestration', FORCE),
  row('rm', '.orchestration/policy.yaml', FORCE),
  row('rm', 'src/frozen', FORCE),
  row('rmdir', 'src/to-root/src/../lib/deep'),
  row('unlink', '.orchestration/active_intents.yaml'),
  row('unlink', 'src/nested/.git/config'),
]

const copies: readonly Attack[] = [
  row('cp', 'src/deep', 'lib/deep3', FORCE),
  row('cp', 'src/nested', 'src/copy', FORCE),
  row('cp', 'src/nested', '../copy', FORCE),
  row('cp', 'src/deep', '.git/hooks', FORCE),
  row('cp', 'src/deep', 'src/hidden', FORCE),
  row('cp', 'src/deep', 'src/to-abs', FORCE),
  row('cp', 'src/nested/.git', 'src/.git', FORCE),
  row('cp', 'src/hidden', 'src/shown', FORCE),
  row('cp', 'src/private', 'src/public', FORCE),
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

/** Assembled at a path that the agent may write, then moved to one that it may not. */
const assemble = (name: string, action: Action): Attack => ({ name, action })
const assembled: readonly Attack[] = [
  assemble('a repository made under another name', async ({ act, fs: api }) => {
    attempt(() => api.mkdirSync('src/repo/hooks', { recursive: true }))
    attempt(() => api.writeFileSync('src/repo/hooks/post-checkout', MARK))
    await act('rename', 'src/repo', 'src/.git')
    await act('cp', 'src/repo', 'src/.GIT', { recursive: true })
  }),
  assemble('a protected directory made by a rename of its parent', async ({ act, fs: api }) => {
    attempt(() => api.mkdirSync('src/v/tasks', { recursive: true }))
    attempt(() => api.writeFileSync('src/v/tasks/x', MARK))
    await act('rename', 'src/v', 'src/nested/.git')
    await act('rename', 'src/v', '.vscode')
  }),
  assemble('a protected file moved away with its parent, then replaced', async ({ act, fs: api }) => {
    await act('rename', 'src/nested', 'src/gone')
    attempt(() => api.mkdirSync('src/nested/.git', { recursive: true }))
    await act('writeFile', 'src/nested/.git/config', MARK)
  }),
  assemble('an out-of-scope directory replaced by a staged one', async ({ act, fs: api }) => {
    attempt(() => api.mkdirSync('src/fake'))
    await act('rename', 'src/fake', 'lib')
    await act('rename', 'lib', 'src/fake')
  }),
  assemble('the root of the scope replaced by a link', async ({ act }) => {
    await act('rm', 'src', { recursive: true, force: true })
    await act('rename', 'src', 'src-old')
    await act('symlink', 'lib', 'src')
    await act('writeFile', 'src/out.ts', MARK)
  }),
  assemble('names below a hidden directory', async ({ act, fs: api }) => {
    attempt(() => api.mkdirSync('src/hidden/x', { recursive: true }))
    await act('writeFile', 'src/hidden/secret.ts', MARK)
    await act('writeFile', 'src/hidden/new.ts', MARK)
  }),
]

/** Files of the session, of people and of other sessions. */
const ownFiles: readonly Attack[] = [
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
  action: async ({ act, fs: api, session, world }) => {
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
    name: 'a copied set-user-id file',
    setUp: ({ root }) => fs.chmodSync(`${root}/src/b.ts`, SETUID),
    action: async ({ act }) => {
      await act('copyFile', 'src/b.ts', 'src/b-copy')
      await act('cp', 'src/b.ts', 'src/b-cp')
    },
  },
  { ...row('chown', 'src/a.ts', 12345, 12345), mustNotChange: ['ws/src/a.ts'] },
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
  { kind: 'assembled, then moved', rows: assembled },
  { kind: 'policy, ledger and session files', rows: ownFiles },
  { kind: 'modes and owners', rows: modes },
]
