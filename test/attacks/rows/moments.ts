import fs from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { type Attack, type AttackClass, attempt, attemptAsync, plantMark, writeMark } from '../row.js'
import { edit, MARK, type World } from '../world.js'

const INTENTS = '.orchestration/active_intents.yaml'
const POLICY = '.orchestration/policy.yaml'
const editFile = (path: string, text: string) => (world: World) => edit(world, path, text)

const writeUnder = (id: string | null, path: string): Attack['action'] => {
  return async (run) => {
    await run.select(id)
    await writeMark(path)(run)
  }
}

const intents: readonly Attack[] = [
  { name: 'no intent', mustNotChange: ['ws/src/a.ts'], action: writeUnder(null, 'src/a.ts') },
  {
    name: 'an empty scope',
    from: 'sandbox-runtime CVE-2025-66479',
    mustNotChange: ['ws/src/a.ts'],
    action: writeUnder('INT-003', 'src/a.ts'),
  },
  { name: 'a narrower intent', mustNotChange: ['ws/src/a.ts'], action: writeUnder('INT-002', 'src/a.ts') },
  { name: 'a completed intent', action: writeUnder('INT-004', 'lib/out.ts') },
  { name: 'an undeclared intent', action: writeUnder('__proto__', 'lib/out.ts') },
  { name: 'a path that the scope negates', action: plantMark('src/legacy/new.ts') },
  {
    name: 'an intent given up between two steps',
    mustNotChange: ['ws/src/b.ts'],
    action: async ({ act, select }) => {
      await act('writeFile', 'src/a.ts', 'fine\n')
      await select(null)
      await act('rename', 'src/a.ts', 'src/b.ts')
      await act('writeFile', 'src/b.ts', MARK)
    },
  },
  {
    name: 'a broken registry',
    mustNotChange: ['ws/src/a.ts'],
    action: async (run) => {
      editFile(INTENTS, 'active_intents: [{\n')(run.world)
      await writeMark('src/a.ts')(run)
    },
  },
]

const rules: readonly Attack[] = [
  { name: 'a read-only path', action: writeMark('src/locked/r.ts') },
  { name: 'a new name under a read-only path', action: plantMark('src/locked/new/x.ts') },
  { name: 'a denied path', action: writeMark('src/private/p.ts') },
  { name: 'a hidden path', action: writeMark('src/hidden/secret.ts') },
  { name: 'a path that policy protects', action: writeMark('src/frozen/f.ts') },
  {
    name: 'a broken policy',
    mustNotChange: ['ws/src/a.ts'],
    action: async (run) => {
      editFile(POLICY, 'access: [\n')(run.world)
      await writeMark('src/a.ts')(run)
    },
  },
  {
    name: 'a policy with an unknown key',
    mustNotChange: ['ws/src/a.ts'],
    action: async (run) => {
      editFile(POLICY, 'acces: { src/locked: read-only }\n')(run.world)
      await writeMark('src/a.ts')(run)
    },
  },
]

const outsidePath = (world: World, path: string) => `${world.outer}/${path}`
const swapForLink = (path: string, target: string) => (world: World) => {
  fs.renameSync(`${world.root}/${path}`, outsidePath(world, 'aside'))
  fs.symlinkSync(target.replace('OUTER', world.outer), `${world.root}/${path}`)
}

/** The target changes between the staged write and the commit. */
const swaps: readonly Attack[] = [
  {
    name: 'a parent swapped for a link beside the workspace',
    action: writeMark('src/deep/new.ts'),
    beforeCommit: swapForLink('src/deep', 'OUTER/sibling'),
  },
  {
    name: 'a parent swapped for a link out of scope',
    action: writeMark('src/deep/new.ts'),
    beforeCommit: swapForLink('src/deep', '../lib'),
  },
  {
    name: 'a parent swapped for a link to .git',
    action: writeMark('src/deep/new.ts'),
    beforeCommit: swapForLink('src/deep', '../.git/hooks'),
  },
  {
    name: 'a grandparent swapped',
    action: writeMark('src/deep/er/x.ts'),
    beforeCommit: swapForLink('src/deep', 'OUTER/sibling'),
  },
  {
    name: 'the scope’s root swapped',
    action: writeMark('src/a.ts'),
    beforeCommit: swapForLink('src', 'OUTER/sibling'),
  },
  {
    name: 'a parent of a removal swapped',
    action: ({ act }) => act('unlink', 'src/deep/w.ts'),
    beforeCommit: (world) => {
      fs.writeFileSync(outsidePath(world, 'sibling/w.ts'), 'w\n', { mode: 0o644 })
      swapForLink('src/deep', 'OUTER/sibling')(world)
    },
  },
  {
    name: 'a parent of a mode swapped',
    action: ({ act }) => act('chmod', 'src/deep/w.ts', 0o600),
    beforeCommit: (world) => {
      fs.writeFileSync(outsidePath(world, 'sibling/w.ts'), 'w\n', { mode: 0o644 })
      swapForLink('src/deep', 'OUTER/sibling')(world)
    },
  },
  {
    name: 'a parent of a removed tree swapped',
    action: ({ act }) => act('rm', 'src/deep/er', { recursive: true }),
    beforeCommit: (world) => {
      fs.cpSync(`${world.root}/src/deep`, outsidePath(world, 'sibling'), { recursive: true })
      swapForLink('src/deep', 'OUTER/sibling')(world)
    },
  },
  {
    name: 'a target of a rename swapped',
    action: ({ act }) => act('rename', 'src/b.ts', 'src/deep/b.ts'),
    beforeCommit: swapForLink('src/deep', 'OUTER/sibling'),
  },
  {
    name: 'the file swapped for a link',
    action: writeMark('src/a.ts'),
    beforeCommit: ({ root, outer }) => {
      fs.unlinkSync(`${root}/src/a.ts`)
      fs.symlinkSync(`${outer}/sibling/s.txt`, `${root}/src/a.ts`)
    },
  },
  {
    name: 'the file swapped for a hard link',
    action: writeMark('src/a.ts'),
    beforeCommit: ({ root, outer }) => {
      fs.unlinkSync(`${root}/src/a.ts`)
      fs.linkSync(`${outer}/sibling/s.txt`, `${root}/src/a.ts`)
    },
  },
  {
    name: 'an absent file’s name taken by a link',
    action: writeMark('src/fresh.ts'),
    beforeCommit: ({ root, outer }) => fs.symlinkSync(`${outer}/sibling/fresh`, `${root}/src/fresh.ts`),
  },
  {
    name: 'a rule added after the write',
    mustNotChange: ['ws/src/b.ts'],
    action: writeMark('src/b.ts'),
    beforeCommit: editFile(POLICY, 'access: { src/b.ts: read-only }\n'),
  },
  {
    name: 'a protection added after the write',
    mustNotChange: ['ws/src/b.ts'],
    action: writeMark('src/b.ts'),
    beforeCommit: editFile(POLICY, 'protected: [src/b.ts]\n'),
  },
  {
    name: 'a policy broken after the write',
    mustNotChange: ['ws/src/b.ts'],
    action: writeMark('src/b.ts'),
    beforeCommit: editFile(POLICY, '- no\n'),
  },
  {
    name: 'a scope narrowed after the write',
    mustNotChange: ['ws/src/b.ts'],
    action: writeMark('src/b.ts'),
    beforeCommit: editFile(
      INTENTS,
      'active_intents:\n  - { id: INT-001, name: W, status: IN_PROGRESS, owned_scope: ["src/deep/**"] }\n',
    ),
  },
  {
    name: 'an intent removed after the write',
    mustNotChange: ['ws/src/b.ts'],
    action: writeMark('src/b.ts'),
    beforeCommit: editFile(INTENTS, 'active_intents: []\n'),
  },
]

const call = { tool: 'write_to_file', kind: 'edit', host: 'roo' } as const
const tools: readonly Attack[] = [
  {
    name: 'a call that declares one path and writes another',
    once: true,
    action: async ({ fs: api, session }) => {
      const work = () => api.writeFileSync('lib/out.ts', MARK)
      await attemptAsync(
        () => session?.toolCall({ ...call, writes: [{ path: 'src/a.ts', effect: 'put' }] }, work) ?? work(),
      )
    },
  },
  {
    name: 'a call that declares nothing',
    once: true,
    action: async ({ fs: api, session }) => {
      const work = () => api.writeFileSync('lib/out.ts', MARK)
      await attemptAsync(() => session?.toolCall(call, work) ?? work())
    },
  },
  {
    name: 'a call with several paths, one out of scope',
    once: true,
    mustNotChange: ['ws/src/a.ts'],
    action: async ({ fs: api, session }) => {
      const writes = ['src/a.ts', 'lib/out.ts'].map((path) => ({ path, effect: 'put' }) as const)
      const work = () => {
        for (const { path } of writes) api.writeFileSync(path, MARK)
      }
      await attemptAsync(() => session?.toolCall({ ...call, writes }, work) ?? work())
    },
  },
  {
    name: 'a patch of several files, one out of scope',
    mustNotChange: ['ws/src/a.ts'],
    action: async ({ fs: api, session }) => {
      const patch =
        '*** Begin Patch\n*** Update File: src/a.ts\n@@\n-a\n+PWNED\n*** Delete File: lib/out.ts\n*** End Patch'
      const { createRooTools } = await import('../../../src/agents/roo/index.js')
      if (session) await createRooTools(session).execute({ id: 'c', name: 'apply_patch', arguments: { patch } })
      else for (const path of ['src/a.ts', 'lib/out.ts']) attempt(() => api.writeFileSync(path, MARK))
    },
    once: true,
  },
  {
    name: 'directories created out of scope in a host’s call',
    once: true,
    action: async ({ fs: api, session }) => {
      const work = () => api.mkdirSync('lib/left/behind', { recursive: true })
      await attemptAsync(() => session?.toolCall(call, work) ?? work())
    },
  },
  {
    name: 'a write after its call has ended',
    once: true,
    action: async ({ fs: api, session }) => {
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
    name: 'a write by a callback that was started under another intent',
    once: true,
    mustNotChange: ['ws/src/a.ts'],
    action: async ({ fs: api, session, select }) => {
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
