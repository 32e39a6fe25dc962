import fs from 'node:fs'
import { type Attack, type AttackClass, attempt, attemptAsync, type Run } from '../row.js'
import { edit, MARK } from '../world.js'

const { O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_TRUNC, O_APPEND, O_DIRECTORY, O_EXCL } = fs.constants
const O_TMPFILE = 0o20000000 | O_DIRECTORY

const flags: readonly (readonly [string, string | number, string?])[] = [
  ['O_RDONLY|O_TRUNC', O_RDONLY | O_TRUNC],
  ['O_WRONLY', O_WRONLY],
  ['O_RDWR', O_RDWR],
  ['O_RDWR|O_APPEND', O_RDWR | O_APPEND],
  ['O_RDONLY|O_CREAT', O_RDONLY | O_CREAT],
  ['O_WRONLY|O_CREAT|O_TRUNC', O_WRONLY | O_CREAT | O_TRUNC],
  ['access mode 3', 3],
  ['r+', 'r+'],
  ['rs+', 'rs+'],
  ['a+', 'a+'],
  ['as', 'as'],
  ['w+', 'w+'],
]

/** Writes to a descriptor with every op that takes one. */
function writeAll(api: typeof fs, fd: number): void {
  attempt(() => api.writeSync(fd, MARK))
  attempt(() => api.writevSync(fd, [Buffer.from(MARK)], 2))
  attempt(() => api.writeFileSync(fd, MARK))
  attempt(() => api.appendFileSync(fd, MARK))
  attempt(() => api.ftruncateSync(fd, 1))
  attempt(() => api.fchmodSync(fd, 0o777))
  attempt(() => api.fchownSync(fd, 12345, 12345))
  attempt(() => api.futimesSync(fd, 1, 1))
}

function openAndWrite({ fs: api }: Run, path: string, how: string | number): void {
  const fd = attempt(() => api.openSync(path, how, 0o666))
  if (fd === undefined) return
  writeAll(api, fd)
  attempt(() => api.closeSync(fd))
}

const byFlags: Attack[] = flags.map(([name, how]) => ({
  name: `opening with ${name} out of scope`,
  once: true,
  action: (run) => {
    for (const path of ['lib/out.ts', 'src/to-lib/out.ts', 'lib/made.ts', '../sibling/s.txt'])
      openAndWrite(run, path, how)
  },
}))

const readOnly: Attack[] = [
  ['fchmod', 'Node CVE-2026-21716'],
  ['fchown', 'Node CVE-2026-21716'],
  ['futimes', 'Node CVE-2025-55132'],
  ['ftruncate', 'Node CVE-2025-55132'],
].map(([op = '', from = '']) => ({
  name: `${op} on a descriptor opened for reading`,
  from,
  once: true,
  action: async ({ fs: api }) => {
    for (const path of ['lib/out.ts', 'src/to-sibling/s.txt', 'src/locked/r.ts', 'src/frozen/f.ts']) {
      const fd = attempt(() => api.openSync(path, 'r'))
      if (fd !== undefined) writeAll(api, fd)
      const handle = await attemptAsync(() => api.promises.open(path, 'r'))
      await attemptAsync(() => handle?.chmod(0o777))
      await attemptAsync(() => handle?.chown(12345, 12345))
      await attemptAsync(() => handle?.utimes(1, 1))
      await attemptAsync(() => handle?.truncate(1))
      await attemptAsync(() => handle?.close())
    }
  },
}))

/** A descriptor or handle of the host, opened by other code in the process. */
function foreignDescriptorAttack(name: string, work: (run: Run, fd: number) => unknown): Attack {
  return {
    name,
    once: true,
    from: 'Node permission model: foreign descriptors',
    action: async (run) => {
      const fd = fs.openSync(`${run.world.outer}/sibling/s.txt`, 'r+')
      try {
        await work(run, fd)
      } finally {
        attempt(() => fs.closeSync(fd))
      }
    },
  }
}

const writeStream = (stream: fs.WriteStream): Promise<void> =>
  new Promise((resolve) =>
    stream
      .on('error', () => resolve())
      .on('close', () => resolve())
      .end(MARK),
  )

const foreigners: Attack[] = [
  foreignDescriptorAttack('a descriptor of the host', ({ fs: api }, fd) => writeAll(api, fd)),
  {
    ...foreignDescriptorAttack('a stream on a descriptor of the host', ({ fs: api }, fd) =>
      attemptAsync(() => writeStream(api.createWriteStream('src/a.ts', { fd, autoClose: false }))),
    ),
    naiveSkipReason: 'the stream of the host never ends with it',
  },
  foreignDescriptorAttack('/proc/self/fd of the host', ({ fs: api }, fd) =>
    attempt(() => api.writeFileSync(`/proc/self/fd/${fd}`, MARK)),
  ),
  foreignDescriptorAttack('/dev/fd of the host', ({ fs: api }, fd) =>
    attempt(() => api.appendFileSync(`/dev/fd/${fd}`, MARK)),
  ),
  foreignDescriptorAttack('a link to /proc/self/fd', ({ fs: api }, fd) => {
    attempt(() => api.symlinkSync(`/proc/self/fd/${fd}`, 'src/by-fd'))
    attempt(() => api.writeFileSync('src/by-fd', MARK))
  }),
  foreignDescriptorAttack('a FileHandle of the host', async ({ fs: api, world }) => {
    const handle = await fs.promises.open(`${world.outer}/sibling/s.txt`, 'r+')
    await attemptAsync(() => api.promises.writeFile(handle, MARK))
    await attemptAsync(() => api.promises.appendFile(handle, MARK))
    await handle.close()
  }),
]

/** A descriptor used after its permission ended. */
function outlivingDescriptorAttack(name: string, path: string, end: (run: Run) => unknown, how = 'r+'): Attack {
  return {
    name,
    once: true,
    mustNotChange: [`ws/${path}`],
    action: async (run) => {
      const { fs: api } = run
      const fd = attempt(() => api.openSync(path, how))
      const handle = await attemptAsync(() => api.promises.open(path, how))
      const stream = attempt(() => api.createWriteStream(path, { flags: how }))
      await new Promise((resolve) => stream?.on('open', resolve).on('error', resolve))
      await end(run)
      if (fd !== undefined) writeAll(api, fd)
      await attemptAsync(() => handle?.writeFile(MARK))
      await attemptAsync(() => handle?.writev([Buffer.from(MARK)], 3))
      await attemptAsync(() => handle?.truncate(1))
      await attemptAsync(() => handle?.chmod(0o777))
      await attemptAsync(() => handle?.close())
      if (stream) await writeStream(stream)
    },
  }
}

const outlivingRows: Attack[] = [
  outlivingDescriptorAttack('its intent given up', 'src/a.ts', ({ select }) => select(null)),
  outlivingDescriptorAttack('a narrower intent selected', 'src/a.ts', ({ select }) => select('INT-002')),
  outlivingDescriptorAttack('an empty intent selected', 'src/deep/w.ts', ({ select }) => select('INT-003')),
  outlivingDescriptorAttack('its session closed', 'src/a.ts', async ({ session }) => session?.close()),
  outlivingDescriptorAttack('a rule that makes the file read-only', 'src/a.ts', ({ world }) =>
    edit(world, '.orchestration/policy.yaml', 'access: { src/a.ts: read-only }\n'),
  ),
  outlivingDescriptorAttack('a broken policy', 'src/a.ts', ({ world }) =>
    edit(world, '.orchestration/policy.yaml', 'acess: {}\n'),
  ),
  outlivingDescriptorAttack('its intent narrowed in the registry', 'src/a.ts', ({ world }) =>
    edit(
      world,
      '.orchestration/active_intents.yaml',
      'active_intents:\n  - { id: INT-001, name: W, status: IN_PROGRESS, owned_scope: ["src/deep/**"] }\n',
    ),
  ),
  outlivingDescriptorAttack('its intent removed from the registry', 'src/a.ts', ({ world }) =>
    edit(world, '.orchestration/active_intents.yaml', 'active_intents: []\n'),
  ),
  outlivingDescriptorAttack('its intent disabled in .intentignore', 'src/a.ts', ({ world }) =>
    edit(world, '.orchestration/.intentignore', 'INT-001\n'),
  ),
]

const others: Attack[] = [
  {
    name: 'an unnamed file linked out of scope',
    once: true,
    action: ({ fs: api }) => {
      const fd = attempt(() => api.openSync('lib', O_TMPFILE | O_RDWR, 0o666))
      if (fd === undefined) return
      attempt(() => api.writeSync(fd, MARK))
      attempt(() => api.linkSync(`/proc/self/fd/${fd}`, 'lib/linked.ts'))
      attempt(() => api.closeSync(fd))
    },
  },
  {
    name: 'an exclusive create out of scope',
    once: true,
    action: (run) => openAndWrite(run, 'lib/fresh.ts', O_CREAT | O_EXCL | O_WRONLY),
  },
  {
    name: 'a directory’s descriptor used to reach its entries',
    once: true,
    action: ({ fs: api }) => {
      const fd = attempt(() => api.openSync('lib', 'r'))
      if (fd === undefined) return
      attempt(() => api.writeFileSync(`/proc/self/fd/${fd}/out.ts`, MARK))
      attempt(() => api.fchmodSync(fd, 0o777))
      attempt(() => api.closeSync(fd))
    },
  },
  {
    name: 'a descriptor of a file that was renamed',
    once: true,
    mustNotChange: ['ws/src/a.ts'],
    action: async ({ fs: api, select }) => {
      const fd = attempt(() => api.openSync('src/deep/w.ts', 'r+'))
      attempt(() => api.renameSync('src/deep/w.ts', 'src/w2.ts'))
      await select('INT-002')
      if (fd !== undefined) writeAll(api, fd)
      attempt(() => api.writeFileSync('src/a.ts', MARK))
    },
  },
]

export const descriptors: readonly AttackClass[] = [
  { kind: 'flags', rows: byFlags },
  { kind: 'descriptors opened for reading', rows: readOnly },
  { kind: 'descriptors of others', rows: foreigners },
  { kind: 'descriptors that outlive their permission', rows: outlivingRows },
  { kind: 'other descriptors', rows: others },
]
