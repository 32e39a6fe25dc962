import { spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { tempDir } from '../support/facade.js'
import { trust } from '../support/trust.js'

/** The highest descriptor of a process that may have 1,024 open. */
const LAST = 1023
const OPENAT = 257

/** Simulates a shell that left descriptors open: a file for writing, and a directory. */
const FILES = [9, 20, 200, LAST]
const DIRECTORY = 201

/** Tries to write to each inherited file, and to create a file below the inherited directory. */
const writing = FILES.map((fd) => `perl -e 'open(F, ">&=", ${fd}) and syswrite(F, "got out ${fd}")'`)
const below = `perl -e '$name = "new"; syscall(${OPENAT}, ${DIRECTORY}, $name, 0x41, 0600) >= 0 and print "got out below "'`
/** Prints the descriptors that a program sees: its own three, and the one that lists them. */
const SCRIPT = [...writing, below, 'ls /proc/self/fd | tr "\\n" " "'].join('; ')

function place() {
  const { path, dispose } = tempDir()
  onTestFinished(dispose)
  const [root, outside] = [`${path}/workspace`, `${path}/outside`]
  for (const dir of [`${root}/.orchestration`, outside]) mkdirSync(dir, { recursive: true })
  writeFileSync(
    `${root}/.orchestration/active_intents.yaml`,
    'active_intents:\n  - { id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ["**"] }\n',
  )
  writeFileSync(`${outside}/file`, 'a person wrote this\n')
  return { root, outside }
}

/** Starts one of our programs with these descriptors open, with a limit of 1,024. */
function runInheriting({ root, outside }: ReturnType<typeof place>, args: readonly string[]) {
  const [file, dir] = [openSync(`${outside}/file`, 'r+'), openSync(outside, 'r')]
  try {
    const stdio = Array.from({ length: LAST + 1 }, (_, fd) =>
      fd < 3 ? 'pipe' : FILES.includes(fd) ? file : fd === DIRECTORY ? dir : 'ignore',
    )
    const limited = [`--nofile=${LAST + 1}:${LAST + 1}`, '--', process.execPath, ...args]
    return spawnSync('prlimit', limited, { encoding: 'utf8', stdio, cwd: root })
  } finally {
    for (const fd of [file, dir]) closeSync(fd)
  }
}

it('a command inherits no descriptor of the process that started escrow, however high', () => {
  const at = place()
  const { root, outside } = at
  const ran = runInheriting(at, [`${compileOnce()}/test/children/descriptors.js`, root, SCRIPT])
  expect(ran.stderr).toBe('')
  expect(ran.stdout.split('\n').map((line) => line.trim())).toEqual([
    'exec 0 1 2 3',
    'start 0 1 2 3',
    'run 0 1 2 3',
    '',
  ])
  expect(readFileSync(`${outside}/file`, 'utf8')).toBe('a person wrote this\n')
  expect(readdirSync(outside)).toEqual(['file'])
})

it('a program of `escrow run` inherits none either', () => {
  const at = place()
  const { root, outside } = at
  trust(root)
  const command = ['run', '--intent', 'INT-001', '--', 'sh', '-c', `{ ${SCRIPT}; } 2>&1`]
  const ran = runInheriting(at, [`${compileOnce()}/test/children/escrow.js`, ...command])
  expect([ran.stdout.trim(), ran.status]).toEqual(['0 1 2 3', 0])
  expect(readFileSync(`${outside}/file`, 'utf8')).toBe('a person wrote this\n')
  expect(readdirSync(outside)).toEqual(['file'])
})
