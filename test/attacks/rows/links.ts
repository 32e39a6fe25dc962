import fs from 'node:fs'
import { type Attack, type AttackClass, attempt, callOp, writeMark } from '../row.js'
import { MARK } from '../world.js'

const FOLLOWED = 'MCP filesystem CVE-2025-53109'

/** Writes through a person's links in the scope. */
const through: readonly (readonly [string, string?])[] = [
  ['src/to-lib/out.ts', FOLLOWED],
  ['src/to-lib/new.ts', FOLLOWED],
  ['src/to-lib-file', 'Roo Code CVE-2025-58373'],
  ['src/to-sibling/s.txt', 'Claude Code CVE-2025-59829'],
  ['src/to-sibling/sub/new.txt', 'Claude Code CVE-2026-25724'],
  ['src/to-sibling-file', 'Zed CVE-2026-27967'],
  ['src/to-abs/s.txt', FOLLOWED],
  ['src/to-home/.bashrc'],
  ['src/to-root/lib/out.ts'],
  ['src/to-root/.git/config'],
  ['src/to-root/../sibling/s.txt'],
  ['src/to-git/config'],
  ['src/to-git/hooks/pre-commit'],
  ['src/to-orch/policy.yaml'],
  ['src/to-orch/active_intents.yaml'],
  ['src/to-new', 'Claude Code CVE-2026-25725'],
  ['src/to-new-out', 'Claude Code CVE-2026-25725'],
  ['src/to-locked/r.ts'],
  ['src/to-legacy/old.ts'],
  ['src/to-deep/../../lib/out.ts'],
  ['src/chain1/out.ts'],
  ['src/chain1/deep/y.ts'],
  ['src/loop/x'],
  ['src/ping'],
]

const STAMP = new Date(1_000_000_000_000)
const calls: readonly (readonly [string, (at: string) => unknown[]])[] = [
  ['appendFile', (at) => [at, MARK]],
  ['truncate', (at) => [at, 0]],
  ['chmod', (at) => [at, 0o777]],
  ['chown', (at) => [at, 12345, 12345]],
  ['lchown', (at) => [at, 12345, 12345]],
  ['utimes', (at) => [at, STAMP, STAMP]],
  ['lutimes', (at) => [at, STAMP, STAMP]],
  ['unlink', (at) => [at]],
  ['rm', (at) => [at, { force: true, recursive: true }]],
  ['rename', (at) => [at, 'src/taken']],
  ['rename', (at) => ['src/b.ts', at]],
  ['copyFile', (at) => ['src/a.ts', at]],
  ['cp', (at) => ['src/deep', `${at}-tree`, { recursive: true }]],
  ['link', (at) => [at, 'src/second-name']],
  ['link', (at) => ['src/a.ts', `${at}-name`]],
  ['symlink', (at) => ['a.ts', `${at}-link`]],
  ['mkdir', (at) => [`${at}-dir/x`, { recursive: true }]],
  ['mkdtemp', (at) => [`${at}-`]],
]

const mutators: Attack[] = ['src/to-lib/out.ts', 'src/to-sibling/s.txt'].flatMap((at) =>
  calls.map(([op, args]) => ({
    name: `${op}(${args(at).join(', ')})`,
    action: callOp(op, ...args(at)),
    from: FOLLOWED,
  })),
)

/**
 * Links that an agent creates. No target may be a path that the agent may not write, and no write may follow such a
 * link.
 */
const creations: readonly (readonly [name: string, target: string, then: string, from?: string])[] = [
  ['to a directory out of scope', '../lib', 'out.ts'],
  ['to a directory beside the workspace', '../../sibling', 's.txt', 'node-tar CVE-2026-23745'],
  ['to an absolute path', 'OUTER/sibling', 's.txt', 'node-tar CVE-2026-23745'],
  ['to /', '/', 'OUTER/sibling/s.txt'],
  ['to /proc/self/root', '/proc/self/root', 'OUTER/sibling/s.txt'],
  ['to /proc/self/cwd', '/proc/self/cwd', 'lib/out.ts'],
  ['to .git', '../.git', 'hooks/pre-commit'],
  ['to .orchestration', '../.orchestration', 'policy.yaml'],
  ['to a hidden directory', 'hidden', 'secret.ts'],
  ['to a directory that the scope negates', 'legacy', 'old.ts'],
  ['over a person’s link', 'to-sibling', 's.txt'],
  ['by .. after a person’s link', 'to-lib/../billing', 'invoice.ts'],
  ['to a path that does not exist yet', '../../sibling/new-dir', 'x'],
  ['with backslashes', '..\\..\\sibling', 's.txt'],
]

const planted: Attack[] = creations.map(([name, target, then, from]) => ({
  name,
  ...(from && { from }),
  action: async ({ act, world }) => {
    await act('symlink', target.replace('OUTER', world.outer), 'src/mine')
    await act('writeFile', `src/mine/${then.replace('OUTER', world.outer)}`, MARK)
  },
}))

const moved: Attack[] = [
  {
    name: 'a link renamed to a place where it leads out',
    action: async ({ act, fs: api }) => {
      attempt(() => api.mkdirSync('src/p/q', { recursive: true }))
      attempt(() => api.symlinkSync('../../../sibling', 'src/p/q/l'))
      attempt(() => api.symlinkSync('../../deep', 'src/p/q/m'))
      await act('rename', 'src/p/q/m', 'src/m')
      await act('writeFile', 'src/m/pwned', MARK)
    },
  },
  {
    name: 'a directory of links renamed to a place where they lead out',
    from: 'node-tar CVE-2026-23745',
    action: async ({ act, fs: api }) => {
      attempt(() => api.mkdirSync('src/p/q/r', { recursive: true }))
      attempt(() => api.symlinkSync('../../../../src/deep', 'src/p/q/r/l'))
      await act('rename', 'src/p/q/r', 'src/r')
      await act('writeFile', 'src/r/l/pwned', MARK)
    },
  },
  {
    name: 'a link copied verbatim to a place where it leads out',
    action: async ({ act, fs: api }) => {
      attempt(() => api.mkdirSync('src/p/q/r', { recursive: true }))
      attempt(() => api.symlinkSync('../../../../src/deep', 'src/p/q/r/l'))
      await act('cp', 'src/p/q/r', 'src/copied', { recursive: true, verbatimSymlinks: true })
      await act('writeFile', 'src/copied/l/pwned', MARK)
    },
  },
  {
    name: 'a person’s link copied verbatim',
    action: callOp('cp', 'src/to-sibling', 'src/copied-link', { verbatimSymlinks: true }),
  },
  {
    name: 'a person’s link copied with an absolute target',
    action: callOp('cp', 'src/to-sibling', 'src/copied-link', {}),
  },
  {
    name: 'a hard link to a person’s symlink',
    action: async ({ act }) => {
      await act('link', 'src/to-sibling-file', 'src/second-link')
      await act('writeFile', 'src/second-link', MARK)
    },
  },
  {
    name: 'a chain of links created from its start',
    action: async ({ act, fs: api }) => {
      attempt(() => api.symlinkSync('two', 'src/one'))
      attempt(() => api.symlinkSync('three', 'src/two'))
      await act('symlink', '../../sibling', 'src/three')
      await act('writeFile', 'src/one/s.txt', MARK)
    },
  },
  {
    name: 'a directory replaced under a valid link',
    action: async ({ act, fs: api }) => {
      attempt(() => api.mkdirSync('src/d/e', { recursive: true }))
      attempt(() => api.symlinkSync('d/e/../..', 'src/up'))
      attempt(() => api.renameSync('src/d', 'src/d2'))
      attempt(() => api.symlinkSync('.', 'src/d'))
      await act('writeFile', 'src/up/lib/out.ts', MARK)
      await act('writeFile', 'src/up/../lib/out.ts', MARK)
    },
  },
  {
    name: 'a dereferencing cp onto a person’s link',
    action: callOp('cp', 'src/deep', 'src/to-sibling', { recursive: true, dereference: true, force: true }),
  },
  {
    name: 'cp of a tree that has a person’s link in the target',
    action: async ({ act, fs: api }) => {
      attempt(() => api.mkdirSync('src/tree/to-lib', { recursive: true }))
      attempt(() => api.writeFileSync('src/tree/to-lib/out.ts', MARK))
      await act('cp', 'src/tree', 'src', { recursive: true, force: true })
    },
  },
]

const HARD = 'sandbox-runtime: hard links'
const hard: Attack[] = [
  ...['lib/out.ts', 'OUTER/sibling/s.txt', '.git/config', '.orchestration/policy.yaml', 'src/hidden/secret.ts'].map(
    (from): Attack => ({
      name: `a second name for ${from}`,
      from: HARD,
      action: async ({ act, world }) => {
        await act('link', from.replace('OUTER', world.outer), 'src/second')
        await act('appendFile', 'src/second', MARK)
      },
    }),
  ),
  ...(['hard.ts', 'hard-out.ts'] as const).flatMap((name): Attack[] => [
    { name: `writes ${name}, whose bytes have a name out of scope`, from: HARD, action: writeMark(`src/${name}`) },
    { name: `truncates ${name}`, from: HARD, action: callOp('truncate', `src/${name}`, 1) },
    { name: `changes the mode of ${name}`, from: HARD, action: callOp('chmod', `src/${name}`, 0o600) },
  ]),
  {
    name: 'a hard link created out of scope while the file is staged',
    action: writeMark('src/b.ts'),
    beforeCommit: ({ root }) => fs.linkSync(`${root}/src/b.ts`, `${root}/lib/b-too.ts`),
  },
]

export const links: readonly AttackClass[] = [
  {
    kind: 'a person’s symlinks',
    rows: through.map(([at, from]) => ({ name: at, action: writeMark(at), ...(from && { from }) })),
  },
  { kind: 'every mutator through a symlink', rows: mutators },
  { kind: 'an agent’s symlinks', rows: [...planted, ...moved] },
  { kind: 'hard links', rows: hard },
]
