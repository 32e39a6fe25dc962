import { spawnSync } from 'node:child_process'
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compileOnce } from '../support/compiled.js'

const users = process.getuid?.() === 0 ? [0, 65_534] : [process.getuid?.() ?? 0]

describe.each(users)('as user %i', (uid) => {
  it('background commands and programs run, are ingested and stopped, and cannot access their host', () => {
    const root = mkdtempSync('/tmp/escrowfs-users-')
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const state = mkdtempSync('/tmp/escrowfs-users-')
    onTestFinished(() => rmSync(state, { recursive: true, force: true }))
    for (const dir of ['', '/src', '/.orchestration']) mkdirSync(`${root}${dir}`, { recursive: true })
    const intents = 'active_intents:\n  - { id: INT-001, name: All, status: IN_PROGRESS, owned_scope: ["**"] }\n'
    writeFileSync(`${root}/.orchestration/active_intents.yaml`, intents)
    if (process.getuid?.() === 0)
      for (const path of [
        state,
        root,
        `${root}/src`,
        `${root}/.orchestration`,
        `${root}/.orchestration/active_intents.yaml`,
      ])
        chownSync(path, uid, uid)
    const ran = spawnSync(process.execPath, [`${compileOnce()}/test/children/ordinary.js`, root], {
      encoding: 'utf8',
      env: { ...process.env, HOME: root, XDG_STATE_HOME: state },
      ...{ stdio: ['ignore', 'pipe', 'pipe'], detached: true },
      ...(process.getuid?.() === 0 && { uid, gid: uid }),
    })
    expect(ran.stderr).toBe('')
    expect(JSON.parse(ran.stdout)).toEqual({
      ...{ taken: ['src/made'], stopped: 3, ran: 0, refused: [] },
      staged: ['src/closed/f', 'src/made'],
    })
  })
})
