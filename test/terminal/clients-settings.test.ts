import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startSession, testWorkspace } from '../support/workspace.js'

/** Clients read their hooks' settings again while they run: a command must not be able to switch a hook off. */

const SETTINGS = '{"hooks":{}}\n'
const FILES = {
  'src/a.ts': 'a\n',
  '.claude/settings.json': SETTINGS,
  '.clinerules/hooks/PreToolUse': '#!/bin/sh\n',
  '.mcp.json': '{}\n',
  'node_modules/escrowfs/dist/main.js': 'hook\n',
}
const ATTEMPTS = [
  ': > .claude/settings.json',
  `echo '{"disableAllHooks":true}' > .claude/settings.local.json`,
  'rm -rf .claude',
  'mv .claude other',
  'chmod 000 .claude/settings.json',
  'ln -sf /dev/null .claude/settings.json',
  ': > .clinerules/hooks/PreToolUse; chmod -x .clinerules/hooks/PreToolUse',
  'rm -rf .clinerules',
  'echo x > .mcp.json',
  'rm -f .mcp.json',
  'echo x > node_modules/escrowfs/dist/main.js',
  'rm -rf node_modules',
  'cd .claude && umount . ; mount -o remount,rw . ; echo x > settings.json',
]

describe('settings of a client’s hooks', () => {
  it('cannot be changed by a command, not even in its own view', async () => {
    const project = testWorkspace(FILES)
    const session = await startSession(await project.open())
    for (const attempt of ATTEMPTS) {
      const { effects } = await session.exec(`(${attempt}) 2>/dev/null; true`)
      expect([attempt, effects.changes]).toEqual([attempt, []])
    }
    const { stdout } = await session.exec(`cat ${Object.keys(FILES).join(' ')}; ls -A .claude; echo b > src/a.ts`)
    expect(stdout).toBe(`${Object.values(FILES).join('')}settings.json\n`)
    for (const [path, text] of Object.entries(FILES)) expect(readFileSync(`${project.root}/${path}`, 'utf8')).toBe(text)
    expect((await session.changes()).changes.map(({ path }) => path)).toEqual(['src/a.ts'])
  })

  it('can be changed if the scope names them literally', async () => {
    const intents = `active_intents: [{id: INT-001, name: Hooks, status: PENDING, owned_scope: [.claude/settings.json]}]\n`
    const project = testWorkspace(FILES, intents)
    const session = await startSession(await project.open())
    const { effects } = await session.exec('echo "{}" > .claude/settings.json')
    expect(effects.changes.map(({ path }) => path)).toEqual(['.claude/settings.json'])
  })

  it('do not protect installed packages in a workspace without settings', async () => {
    const project = testWorkspace({ 'node_modules/escrowfs/x.js': 'x\n', '.gitignore': 'node_modules\n' })
    const session = await startSession(await project.open())
    expect((await session.exec('rm -rf node_modules && echo gone')).stdout).toBe('gone\n')
  })
})
