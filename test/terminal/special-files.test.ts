import { spawnSync } from 'node:child_process'
import { closeSync, constants, mkdirSync, mkdtempSync, openSync, readSync, realpathSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { site } from './site.js'

/** Commands have their own directories at these paths. */
const PRIVATE = ['/tmp', '/var/tmp', '/run', '/dev/shm']

/** A directory that commands see. */
function visible(): string {
  const places = [`${process.cwd()}/node_modules/.cache`, `${homedir()}/.cache`]
  const base = places.find((place) => !PRIVATE.some((each) => realpathSync.native(dirname(place)).startsWith(each)))
  if (base === undefined)
    throw new Error(`This test needs the checkout or the home directory outside of ${PRIVATE.join(', ')}.`)
  mkdirSync(base, { recursive: true })
  const path = mkdtempSync(`${base}/special-`)
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

/** A FIFO that a program of the person reads. */
function fifoIn(dir: string) {
  const path = `${dir}/fifo`
  spawnSync('mkfifo', [path])
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  onTestFinished(() => closeSync(fd))
  return {
    path,
    read() {
      const bytes = Buffer.alloc(100)
      return bytes.toString('utf8', 0, readSync(fd, bytes))
    },
  }
}

it('no command writes into a FIFO outside of the workspace', async () => {
  const fifo = fifoIn(visible())
  const { session } = await site()
  const { stdout } = await session.exec(
    `ls ${fifo.path}; { echo "got out" > ${fifo.path} || echo refused; echo "got out" 1<> ${fifo.path} || echo refused; } 2>/dev/null`,
  )
  expect(stdout).toBe(`${fifo.path}\nrefused\nrefused\n`)
  expect(fifo.read()).toBe('')
})

it('no command writes into one by a descriptor, a link, or after leaving its directory', async () => {
  const fifo = fifoIn(visible())
  const { session } = await site()
  const ways = [
    `ln -s ${fifo.path} /tmp/link; echo out > /tmp/link`,
    `exec 7< ${fifo.path}; echo out > /proc/self/fd/7`,
    `cd ${fifo.path.slice(0, -'/fifo'.length)}; echo out > fifo`,
    `echo out > /proc/self/root${fifo.path}`,
  ]
  for (const way of ways) {
    const { stdout } = await session.exec(`timeout 2 sh -c '${way} || echo refused' 2>/dev/null; echo done`)
    expect(stdout, way).toMatch(/done\n$/)
  }
  expect(fifo.read()).toBe('')
})

it('a command still writes to its workspace, its temporary directories, devices and its own output', async () => {
  const { session } = await site()
  const script = [
    'set -e',
    'for place in /tmp /var/tmp /dev/shm; do echo x > $place/file; mkdir $place/dir; mv $place/file $place/dir/; done',
    'mkfifo /tmp/own; (echo through > /tmp/own &); cat /tmp/own',
    'echo a > src/new; mkdir src/dir; mv src/new src/dir/; ln src/dir/new src/other',
    'echo lost > /dev/null',
    `perl -e 'open(F, ">", "/dev/stdout") or print "a socket"; print F "by name"' | cat`,
  ].join('\n')
  const { exitCode, stdout, stderr } = await session.exec(script)
  expect([exitCode, stdout, stderr]).toEqual([0, 'through\nby name', ''])
  expect(session.fs.readFileSync('src/other', 'utf8')).toBe('a\n')
})

it('a file that its own output goes to can be opened again by name', async () => {
  const { session } = await site()
  const { stdout } = await session.exec(
    '{ echo one > /dev/stderr; } 2> src/log; cat src/log; missing-program || echo $?',
  )
  expect(stdout).toBe('one\n127\n')
})
