import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import net from 'node:net'
import type { Attack, AttackClass } from '../row.js'
import { MARK } from '../world.js'

/** Special files: a reader of a FIFO waits forever, a write to a device changes the host. */

/** Creates a socket. Node listens at once, and the process does not wait for it. */
const createSocket = (path: string): void => {
  net.createServer().listen(path).unref()
}

const specialFileAttack = (name: string, make: (root: string) => void, path: string): Attack => ({
  name,
  setUp: ({ root }) => make(root),
  action: async ({ act }) => {
    for (const op of ['writeFile', 'appendFile', 'readFile']) await act(op, path, op === 'readFile' ? undefined : MARK)
    await act('copyFile', path, 'src/copied')
    await act('cp', path, 'src/cp-copied', { recursive: true })
    await act('truncate', path, 0)
  },
  naiveSkipReason: 'it would wait for the other end for ever',
})

const kinds: readonly Attack[] = [
  specialFileAttack('a FIFO in the scope', (root) => execFileSync('mkfifo', [`${root}/src/pipe`]), 'src/pipe'),
  specialFileAttack(
    'a FIFO through a link',
    (root) => {
      execFileSync('mkfifo', [`${root}/lib/pipe`])
      fs.symlinkSync('../lib/pipe', `${root}/src/to-pipe`)
    },
    'src/to-pipe',
  ),
  specialFileAttack('a socket in the scope', (root) => createSocket(`${root}/src/socket`), 'src/socket'),
  specialFileAttack(
    'a socket through a link',
    (root) => {
      createSocket(`${root}/lib/socket`)
      fs.symlinkSync('../lib/socket', `${root}/src/to-socket`)
    },
    'src/to-socket',
  ),
  specialFileAttack('a socket in a copied tree', (root) => createSocket(`${root}/src/deep/socket`), 'src/deep'),
  {
    name: 'a socket moved, linked, or copied out of scope',
    setUp: ({ root }) => createSocket(`${root}/src/socket`),
    action: async ({ act }) => {
      await act('rename', 'src/socket', 'lib/socket')
      await act('link', 'src/socket', 'lib/socket')
      await act('copyFile', 'src/socket', 'lib/socket')
      await act('symlink', '../../sibling/socket', 'src/to-socket')
      await act('cp', 'src', 'lib/copy', { recursive: true })
    },
    naiveSkipReason: 'it does not handle sockets',
  },
  {
    name: 'a copied endless device',
    setUp: ({ root }) => fs.symlinkSync('/dev/zero', `${root}/src/to-zero`),
    action: async ({ act }) => {
      await act('copyFile', '/dev/zero', 'src/zero')
      await act('copyFile', 'src/to-zero', 'src/zero')
      await act('cp', '/dev/zero', 'src/zero')
      await act('cp', 'src/to-zero', 'src/zero', { dereference: true })
      await act('writeFile', 'src/to-zero', MARK)
      await act('truncate', 'src/to-zero', 0)
      await act('chmod', 'src/to-zero', 0o777)
    },
    naiveSkipReason: 'it would change a device of the host',
  },
  {
    name: 'a device of the host through a link to its directory',
    setUp: ({ root }) => fs.symlinkSync('/dev', `${root}/src/dev`),
    action: async ({ act }) => {
      for (const name of ['null', 'full', 'shm/escrowfs-pwned', 'fd/1']) await act('writeFile', `src/dev/${name}`, MARK)
      await act('rename', 'src/b.ts', 'src/dev/shm/escrowfs-pwned')
      await act('mkdir', 'src/dev/shm/escrowfs-pwned')
      await act('symlink', '/dev/zero', 'src/zero')
    },
    naiveSkipReason: 'it would change a device of the host',
  },
  specialFileAttack('a FIFO in a copied tree', (root) => execFileSync('mkfifo', [`${root}/src/deep/pipe`]), 'src/deep'),
]

export const specialFiles: readonly AttackClass[] = [{ kind: 'FIFOs, sockets and devices', rows: kinds }]
