import { spawnSync } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import type { RelPath } from '../../overlay/index.js'
import { effectOf, listQuarantined, quarantine } from '../../src/terminal/index.js'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'
import { site } from './site.js'

it('a file with unreadable content is listed, and the others are kept', () => {
  const { path: dir, dispose } = tempDir()
  onTestFinished(dispose)
  const file = (path: string, read: () => Buffer) => ({
    ...{ path, reason: 'scope_violation', message: `${path} is out of scope.` },
    effect: { kind: 'file', path: path as RelPath, mode: 0o644, size: 1, ino: 1, stamp: '', read } as const,
  })
  const unread = file('locked', () => {
    throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
  })
  quarantine(dir, [unread, file('kept', () => Buffer.from('k'))])
  const found = listQuarantined(dir)
  expect(found.map((each) => [each.path, each.reason, effectOf(each) !== undefined])).toEqual([
    ['locked', 'scope_violation', false],
    ['kept', 'scope_violation', true],
  ])
})

it('a file that is too long to stage is refused as such, without advice about limits in policy.yaml', async () => {
  const { session, workspace } = await site()
  const { refused } = await session.exec('truncate -s 1073741825 long.bin')
  expect(refused).toMatchObject([
    { path: 'long.bin', reason: 'unsupported', message: expect.stringContaining('longer than 1 GiB') },
  ])
  const kept = await (await workspace.review(session.id)).quarantined()
  expect(kept).toMatchObject([{ path: 'long.bin', reason: 'unsupported' }])
})

it('on a full disk, names the changes that are lost', () => {
  const { path: dir, dispose } = tempDir()
  onTestFinished(dispose)
  const script = `
    import { quarantine } from '${compileOnce()}/src/terminal/quarantine.js'
    const effect = { kind: 'file', path: 'a.ts', mode: 0o644, size: 1, ino: 1, stamp: '', read: () => Buffer.from('a') }
    try {
      quarantine(process.argv[1], [{ path: 'a.ts', reason: 'scope_violation', message: 'a.ts is out of scope.', effect }])
    } catch ({ reason, message }) {
      console.log(reason + ': ' + message)
    }`
  // A file system in memory that has one file, its root: no directory can be made in it. The second has room for one.
  const words = [1, 2].map((inodes) => {
    const mount = `mount -t tmpfs -o nr_inodes=${inodes} tmpfs "$0" && exec "$1" --input-type=module -e "$2" "$0"`
    const { stdout } = spawnSync('unshare', ['-Urm', 'sh', '-c', mount, dir, process.execPath, script], {
      encoding: 'utf8',
    })
    return stdout
  })
  const lost = `limit_exceeded: No space is left on the disk of ${dir}, so changes of the command are lost: a.ts.\n`
  expect(words).toEqual([lost, lost])
})
