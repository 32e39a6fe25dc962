import fs from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { site } from './site.js'

const OLD = new Date('2020-01-01T00:00:00Z')
const FILES = { 'src/log': 'one\n', 'src/a': 'a\n', 'src/d/b': 'b\n' }

type Change = (root: string) => void
const append: Change = (root) => fs.appendFileSync(`${root}/src/log`, 'of a person\n')
const same: Change = (root) => {
  const stats = fs.statSync(`${root}/src/log`)
  fs.writeFileSync(`${root}/src/log`, 'eno\n')
  fs.utimesSync(`${root}/src/log`, stats.atime, stats.mtime)
}
const replace: Change = (root) => {
  fs.writeFileSync(`${root}/src/tmp`, 'of a person\n')
  fs.utimesSync(`${root}/src/tmp`, OLD, OLD)
  fs.renameSync(`${root}/src/tmp`, `${root}/src/log`)
}
const toDir: Change = (root) => {
  fs.rmSync(`${root}/src/log`)
  fs.mkdirSync(`${root}/src/log`)
  fs.writeFileSync(`${root}/src/log/mine`, 'mine\n')
}
const toFile: Change = (root) => {
  fs.rmSync(`${root}/src/d`, { recursive: true })
  fs.writeFileSync(`${root}/src/d`, 'mine\n')
}
const toLink: Change = (root) => {
  fs.renameSync(`${root}/src/d`, `${root}/src/e`)
  fs.symlinkSync('e', `${root}/src/d`)
}
const create: Change = (root) => fs.writeFileSync(`${root}/src/new`, 'of a person\n')
const createDir: Change = (root) => {
  fs.mkdirSync(`${root}/src/new`)
  fs.writeFileSync(`${root}/src/new/mine`, 'mine\n')
}

/** The scene, the person's change, the script, the refused paths and the staged changes. */
const SCENES: readonly (readonly [string, Change, string, readonly string[], readonly string[]])[] = [
  ['a file that grows, which the command appends to', append, 'echo x >> src/log', ['src/log'], []],
  ['a file that grows, which the command removes', append, 'rm src/log', ['src/log'], []],
  ['a file that grows, whose time the command sets', append, 'touch -r src/a src/log', ['src/log'], []],
  ['a file that grows, beside one of the command', append, 'echo x > src/own', [], ['create src/own']],
  ['new content with the old size and time', same, 'echo x >> src/log', ['src/log'], []],
  ['new content with the old size and time, and a touch', same, 'touch src/log', ['src/log'], []],
  ['a replacement with an older time', replace, 'echo x >> src/log', ['src/log'], []],
  [
    'a replacement with an older time, read and written',
    replace,
    'dd if=src/log of=src/log conv=notrunc',
    ['src/log'],
    [],
  ],
  ['a file that becomes a directory', toDir, 'echo x >> src/log', ['src/log'], []],
  ['a file that becomes a directory, which the command removes', toDir, 'rm -rf src/log', ['src/log'], []],
  ['a file that becomes a directory, in one which the command removes', toDir, 'rm -rf src', ['src'], []],
  ['a directory that becomes a file', toFile, 'echo x >> src/d/b', ['src/d/b'], []],
  ['a directory that becomes a file, and a new file in it', toFile, 'echo x > src/d/c', ['src/d/c'], []],
  ['a directory that becomes a link', toLink, 'echo x >> src/d/b', ['src/d/b'], []],
  ['a directory that becomes a link, and a new file in it', toLink, 'echo x > src/d/c', ['src/d/c'], []],
  ['a directory that becomes a link, which the command removes', toLink, 'rm -rf src/d', ['src/d'], []],
  ['a new file of the same name', create, 'echo x > src/new', ['src/new'], []],
  ['a new directory of the same name', createDir, 'mkdir -p src/new; echo x > src/new/x', [], ['create src/new/x']],
]

/** The content of each file, the target of each link, and the names of the directories. */
function treeOf(root: string): Record<string, string> {
  const contentOf = (path: string): string => {
    const stats = fs.lstatSync(path)
    if (stats.isSymbolicLink()) return `-> ${fs.readlinkSync(path)}`
    return stats.isFile() ? fs.readFileSync(path, 'utf8') : 'a directory'
  }
  const names = fs.readdirSync(`${root}/src`, { recursive: true, encoding: 'utf8' })
  return Object.fromEntries(names.map((name) => [name, contentOf(`${root}/src/${name}`)]))
}

describe.each(PROVIDERS)('a change of a person while a command runs in %s', (provider) => {
  withProvider(provider)

  it.each(SCENES)('%s: nothing is lost, and a conflict is stale', async (_, change, script, stale, changes) => {
    const { session, root, workspace } = await site(FILES)
    const pause = `trap 'go=1' USR1; cat src/log src/d/b > /dev/null; echo ready; while [ -z "$go" ]; do sleep 0.01; done`
    const command = await session.start(`${pause}; ${script}`)
    while (!command.read().text.includes('ready')) await wait(10)
    change(root)
    const before = treeOf(root)
    command.kill('SIGUSR1')
    const { effects, refused } = await command.wait()
    const stalePaths = refused.filter(({ reason }) => reason === 'stale_file').map(({ path }) => path)
    expect(stalePaths).toEqual(expect.arrayContaining([...stale]))
    expect(effects.changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual(changes)
    const review = await workspace.review(session.id)
    await review.approve()
    expect((await review.commit()).conflicts).toEqual([])
    expect(treeOf(root)).toMatchObject(before)
  })

  it('and the next command sees what a person wrote between two commands, also with the old size and time', async () => {
    const { session, root } = await site(FILES)
    expect((await session.exec('cat src/log')).stdout).toBe('one\n')
    same(root)
    expect((await session.exec('cat src/log')).stdout).toBe('eno\n')
    replace(root)
    expect((await session.exec('cat src/log')).stdout).toBe('of a person\n')
  })

  it('and lines of a person and of commands in one file are a conflict', async () => {
    const { session, root, workspace } = await site(FILES)
    await session.exec('echo x >> src/log')
    append(root)
    expect((await session.exec('echo y >> src/log')).refused).toEqual([])
    const { changes } = await session.changes()
    expect(changes.map(({ kind, path, flags, hunks }) => [kind, path, flags, hunks?.map(({ text }) => text)])).toEqual([
      ['modify', 'src/log', ['drifted'], ['@@ -1,1 +1,3 @@\n one\n+x\n+y\n']],
    ])
    const review = await workspace.review(session.id)
    await review.approve()
    expect(await review.commit()).toMatchObject({ committed: [], left: [{ path: 'src/log', reason: 'stale_file' }] })
    expect(treeOf(root).log).toBe('one\nof a person\n')
  })
})
