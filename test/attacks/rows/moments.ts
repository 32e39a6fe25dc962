import fs from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Attack, type AttackClass, attempt, attemptAsync, plants, writes } from '../row.js'
import { edit, MARK, type World } from '../world.js'

const INTENTS = '.orchestration/active_intents.yaml'
const POLICY = '.orchestration/policy.yaml'
const puts = (path: string, text: string) => (world: World) => edit(world, path, text)

const under = (id: string | null, path: string): Attack['deed'] => {
  return async (run) => {
    await run.select(id)
    await writes(path)(run)
  }
}

const intents: readonly Attack[] = [
  { name: 'no intent', keeps: ['ws/src/a.ts'], deed: under(null, 'src/a.ts') },
  {
    name: 'an empty scope',
    from: 'sandbox-runtime CVE-2025-66479',
    keeps: ['ws/src/a.ts'],
    deed: under('INT-003', 'src/a.ts'),
  },
  { name: 'a narrower intent', keeps: ['ws/src/a.ts'], deed: under('INT-002', 'src/a.ts') },
  { name: 'a completed intent', deed: under('INT-004', 'lib/out.ts') },
  { name: 'an intent nobody declared', deed: under('__proto__', 'lib/out.ts') },
  { name: 'what a negation takes away', deed: plants('src/legacy/new.ts') },
  {
    name: 'an intent given up between two steps',
    keeps: ['ws/src/b.ts'],
    deed: async ({ act, select }) => {
      await act('writeFile', 'src/a.ts', 'fine\n')
      await select(null)
      await act('rename', 'src/a.ts', 'src/b.ts')
      await act('writeFile', 'src/b.ts', MARK)
    },
  },
  {
    name: 'a broken registry',
    keeps: ['ws/src/a.ts'],
    deed: async (run) => {
      puts(INTENTS, 'active_intents: [{\n')(run.world)
      await writes('src/a.ts')(run)
    },
  },
]

const rules: readonly Attack[] = [
  { name: 'a read-only path', deed: writes('src/locked/r.ts') },
  { name: 'a new name under a read-only path', deed: plants('src/locked/new/x.ts') },
  { name: 'a denied path', deed: writes('src/private/p.ts') },
  { name: 'a hidden path', deed: writes('src/hidden/secret.ts') },
  { name: 'a path the person protects', deed: writes('src/frozen/f.ts') },
  {
    name: 'a broken policy',
    keeps: ['ws/src/a.ts'],
    deed: async (run) => {
      puts(POLICY, 'access: [\n')(run.world)
      await writes('src/a.ts')(run)
    },
  },
  {
    name: 'a policy with an unknown key',
    keeps: ['ws/src/a.ts'],
    deed: async (run) => {
      puts(POLICY, 'acces: { src/locked: read-only }\n')(run.world)
      await writes('src/a.ts')(run)
    },
  },
]

const OUT = (world: World, path: string) => `${world.outer}/${path}`
const swapDir = (path: string, target: string) => (world: World) => {
  fs.renameSync(`${world.root}/${path}`, OUT(world, 'aside'))
  fs.symlinkSync(target.replace('OUTER', world.outer), `${world.root}/${path}`)
}

/** Staged while all is well; what it would land on is another thing when it is committed. */
const swaps: readonly Attack[] = [
  {
    name: 'a parent swapped for a link beside the workspace',
    deed: writes('src/deep/new.ts'),
    meanwhile: swapDir('src/deep', 'OUTER/sibling'),
  },
  {
    name: 'a parent swapped for a link out of scope',
    deed: writes('src/deep/new.ts'),
    meanwhile: swapDir('src/deep', '../lib'),
  },
  {
    name: 'a parent swapped for a link to .git',
    deed: writes('src/deep/new.ts'),
    meanwhile: swapDir('src/deep', '../.git/hooks'),
  },
  { name: 'a grandparent swapped', deed: writes('src/deep/er/x.ts'), meanwhile: swapDir('src/deep', 'OUTER/sibling') },
  { name: 'the scope’s root swapped', deed: writes('src/a.ts'), meanwhile: swapDir('src', 'OUTER/sibling') },
  {
    name: 'a parent of a removal swapped',
    deed: ({ act }) => act('unlink', 'src/deep/w.ts'),
    meanwhile: (world) => {
      fs.writeFileSync(OUT(world, 'sibling/w.ts'), 'w\n', { mode: 0o644 })
      swapDir('src/deep', 'OUTER/sibling')(world)
    },
  },
  {
    name: 'a parent of a mode swapped',
    deed: ({ act }) => act('chmod', 'src/deep/w.ts', 0o600),
    meanwhile: (world) => {
      fs.writeFileSync(OUT(world, 'sibling/w.ts'), 'w\n', { mode: 0o644 })
      swapDir('src/deep', 'OUTER/sibling')(world)
    },
  },
  {
    name: 'a parent of a removed tree swapped',
    deed: ({ act }) => act('rm', 'src/deep/er', { recursive: true }),
    meanwhile: (world) => {
      fs.cpSync(`${world.root}/src/deep`, OUT(world, 'sibling'), { recursive: true })
      swapDir('src/deep', 'OUTER/sibling')(world)
    },
  },
  {
    name: 'a target of a rename swapped',
    deed: ({ act }) => act('rename', 'src/b.ts', 'src/deep/b.ts'),
    meanwhile: swapDir('src/deep', 'OUTER/sibling'),
  },
  {
    name: 'the file swapped for a link',
    deed: writes('src/a.ts'),
    meanwhile: ({ root, outer }) => {
      fs.unlinkSync(`${root}/src/a.ts`)
      fs.symlinkSync(`${outer}/sibling/s.txt`, `${root}/src/a.ts`)
    },
  },
  {
    name: 'the file swapped for a hard link',
    deed: writes('src/a.ts'),
    meanwhile: ({ root, outer }) => {
      fs.unlinkSync(`${root}/src/a.ts`)
      fs.linkSync(`${outer}/sibling/s.txt`, `${root}/src/a.ts`)
    },
  },
  {
    name: 'an absent file’s name taken by a link',
    deed: writes('src/fresh.ts'),
    meanwhile: ({ root, outer }) => fs.symlinkSync(`${outer}/sibling/fresh`, `${root}/src/fresh.ts`),
  },
  {
    name: 'a rule that comes after the write',
    keeps: ['ws/src/b.ts'],
    deed: writes('src/b.ts'),
    meanwhile: puts(POLICY, 'access: { src/b.ts: read-only }\n'),
  },
  {
    name: 'a protection that comes after the write',
    keeps: ['ws/src/b.ts'],
    deed: writes('src/b.ts'),
    meanwhile: puts(POLICY, 'protected: [src/b.ts]\n'),
  },
  {
    name: 'a policy broken after the write',
    keeps: ['ws/src/b.ts'],
    deed: writes('src/b.ts'),
    meanwhile: puts(POLICY, '- no\n'),
  },
  {
    name: 'a scope narrowed after the write',
    keeps: ['ws/src/b.ts'],
    deed: writes('src/b.ts'),
    meanwhile: puts(
      INTENTS,
      'active_intents:\n  - { id: INT-001, name: W, status: IN_PROGRESS, owned_scope: ["src/deep/**"] }\n',
    ),
  },
  {
    name: 'an intent removed after the write',
    keeps: ['ws/src/b.ts'],
    deed: writes('src/b.ts'),
    meanwhile: puts(INTENTS, 'active_intents: []\n'),
  },
]

const call = { tool: 'write_to_file', kind: 'edit', host: 'roo' } as const
const tools: readonly Attack[] = [
  {
    name: 'a call that announces one path and writes another',
    once: true,
    deed: async ({ fs: api, session }) => {
      const work = () => api.writeFileSync('lib/out.ts', MARK)
      await attemptAsync(
        () => session?.toolCall({ ...call, writes: [{ path: 'src/a.ts', effect: 'put' }] }, work) ?? work(),
      )
    },
  },
  {
    name: 'a call that announces nothing',
    once: true,
    deed: async ({ fs: api, session }) => {
      const work = () => api.writeFileSync('lib/out.ts', MARK)
      await attemptAsync(() => session?.toolCall(call, work) ?? work())
    },
  },
  {
    name: 'a call of several paths, one of them out',
    once: true,
    keeps: ['ws/src/a.ts'],
    deed: async ({ fs: api, session }) => {
      const writes = ['src/a.ts', 'lib/out.ts'].map((path) => ({ path, effect: 'put' }) as const)
      const work = () => {
        for (const { path } of writes) api.writeFileSync(path, MARK)
      }
      await attemptAsync(() => session?.toolCall({ ...call, writes }, work) ?? work())
    },
  },
  {
    name: 'a patch of several files, one of them out',
    keeps: ['ws/src/a.ts'],
    deed: async ({ fs: api, session }) => {
      const patch =
        '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+PWNED\n*** Delete File: lib/out.ts\n*** End Patch'
      const { createRooTools } = await import('../../../src/agents/roo/index.js')
      if (session) await createRooTools(session).execute({ id: 'c', name: 'apply_patch', arguments: { patch } })
      else for (const path of ['src/a.ts', 'lib/out.ts']) attempt(() => api.writeFileSync(path, MARK))
    },
    once: true,
  },
  {
    name: 'directories out of scope made in a host’s call',
    once: true,
    deed: async ({ fs: api, session }) => {
      const work = () => api.mkdirSync('lib/left/behind', { recursive: true })
      await attemptAsync(() => session?.toolCall(call, work) ?? work())
    },
  },
  {
    name: 'a write after its call has ended',
    once: true,
    deed: async ({ fs: api, session }) => {
      let late: Promise<unknown> = Promise.resolve()
      const work = () => {
        late = delay(5).then(() => {
          attempt(() => api.mkdirSync('lib/late', { recursive: true }))
          attempt(() => api.writeFileSync('lib/late/x', MARK))
          attempt(() => api.writeFileSync('lib/out.ts', MARK))
        })
      }
      await attemptAsync(() => session?.toolCall(call, work) ?? work())
      await late
    },
  },
  {
    name: 'a write by a callback begun in another intent',
    once: true,
    keeps: ['ws/src/a.ts'],
    deed: async ({ fs: api, session, select }) => {
      let late: Promise<unknown> = Promise.resolve()
      await attemptAsync(() =>
        session?.toolCall(call, () => {
          late = delay(5).then(() => attempt(() => api.writeFileSync('src/a.ts', MARK)))
        }),
      )
      await select('INT-002')
      await late
      attempt(() => api.writeFileSync('src/a.ts', MARK))
    },
  },
]

export const moments: readonly AttackClass[] = [
  { kind: 'intents', rows: intents },
  { kind: 'rules', rows: rules },
  { kind: 'swapped between check and use', rows: swaps },
  { kind: 'tool calls', rows: tools },
]
