import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { git } from '../support/git.js'

const users = process.getuid?.() === 0 ? [0, 65_534] : [process.getuid?.() ?? 0]

describe.each(users)('as user %i', (uid) => {
  it('background commands and programs run, are ingested and stopped, and cannot access their host', () => {
    expect(runChild('test/children/ordinary.js', uid, makeRoot())).toEqual({
      ...{ taken: ['src/made'], stopped: 3, ran: 0, refused: [] },
      staged: ['src/closed/f', 'src/made'],
    })
  })

  it('commands run, and their changes are staged, where directories may not be read', () => {
    const root = makeRoot()
    git(root, 'init', '-q')
    for (const dir of ['locked', '.git/worktrees']) {
      mkdirSync(`${root}/${dir}`)
      writeFileSync(`${root}/${dir}/.env`, 'KEY=1\n')
    }
    const close = ['locked', '.git/worktrees']
    const commands = [
      'chmod 755 .git/worktrees; echo x > src/made',
      'mkdir src/e; echo x > src/e/f; echo x > src/e/g; chmod 0 src/e',
      // The session's layer has a directory that excludes its owner.
      'echo x > src/second',
      'chmod 700 src/e; rm -r src/e; mkdir src/e; echo x > src/e/g; chmod 0 src/e',
    ]
    const { ran, staged } = runChild('test/children/unreadable.js', uid, root, { close, args: commands })
    expect(ran).toEqual(commands.map((command) => [command, 0, []]))
    expect(staged).toEqual(['create src/e/g', 'create src/made', 'create src/second'])
  })
})

// Root may read every directory.
it.each(users.filter((uid) => uid !== 0))(
  'a directory that user %i may not read is closed to commands, which could give themselves access',
  (uid) => {
    const root = makeRoot()
    mkdirSync(`${root}/locked`)
    writeFileSync(`${root}/locked/.env`, 'KEY=1\n')
    const command = 'chmod 755 locked 2> /dev/null'
    const { ran } = runChild('test/children/unreadable.js', uid, root, { close: ['locked'], args: [command] })
    expect(ran).toEqual([[command, 1, []]])
  },
)

function makeRoot(): string {
  const root = mkdtempSync('/tmp/escrowfs-users-')
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const dir of ['src', '.orchestration']) mkdirSync(`${root}/${dir}`)
  const intents = 'active_intents:\n  - { id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ["**"] }\n'
  writeFileSync(`${root}/.orchestration/active_intents.yaml`, intents)
  return root
}

/** @param close directories that become unreadable */
function runChild(
  child: string,
  uid: number,
  root: string,
  { close = [], args = [] }: { readonly close?: readonly string[]; readonly args?: readonly string[] } = {},
) {
  const state = mkdtempSync('/tmp/escrowfs-users-')
  onTestFinished(() => rmSync(state, { recursive: true, force: true }))
  if (process.getuid?.() === 0) {
    const below = readdirSync(root, { recursive: true, encoding: 'utf8' })
    for (const path of [state, root, ...below.map((each) => `${root}/${each}`)]) chownSync(path, uid, uid)
  }
  for (const dir of close) chmodSync(`${root}/${dir}`, 0)
  const ran = spawnSync(process.execPath, [`${compileOnce()}/${child}`, root, ...args], {
    encoding: 'utf8',
    env: { ...process.env, HOME: root, XDG_STATE_HOME: state },
    ...{ stdio: ['ignore', 'pipe', 'pipe'], detached: true },
    ...(process.getuid?.() === 0 && { uid, gid: uid }),
  })
  expect(ran.stderr).toBe('')
  return JSON.parse(ran.stdout)
}
