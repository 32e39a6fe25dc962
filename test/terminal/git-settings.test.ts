import { afterEach, describe, expect, it, vi } from 'vitest'
import { commandEnv } from '../../src/terminal/secrets.js'
import { site } from './site.js'

const AT = { session: 's', root: '/none' }

const settings = (env: Record<string, string>) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('GIT_CONFIG_')))

describe('git in a command', () => {
  afterEach(() => void vi.unstubAllEnvs())

  it('does not treat a directory without .git as a repository, whose settings would name programs', async () => {
    const { session, write } = await site()
    write('.orchestration/policy.yaml', 'terminal: {classes: {other: deny}}\n')
    for (const dir of ['objects', 'refs']) write(`sub/${dir}/.keep`, '')
    write('sub/HEAD', 'ref: refs/heads/main\n')
    write('sub/config', '[core]\n\tbare = false\n\tworktree = ..\n\tfsmonitor = "echo > src/ran; false"\n')
    for (const { stderr, effects } of [
      await session.exec('git -C sub status'),
      await session.exec('git status', { cwd: 'sub' }),
      await session.exec('cd sub && git status'),
    ]) {
      expect(stderr).toContain('safe.bareRepository')
      expect(effects.changes).toEqual([])
    }
  })

  it('keeps the complete settings that its host got by variables', () => {
    const settingsAt = (at: number) => ({
      GIT_CONFIG_COUNT: `${at + 3}`,
      [`GIT_CONFIG_KEY_${at}`]: 'safe.bareRepository',
      [`GIT_CONFIG_VALUE_${at}`]: 'explicit',
      [`GIT_CONFIG_KEY_${at + 1}`]: 'gc.auto',
      [`GIT_CONFIG_VALUE_${at + 1}`]: '0',
      [`GIT_CONFIG_KEY_${at + 2}`]: 'maintenance.auto',
      [`GIT_CONFIG_VALUE_${at + 2}`]: 'false',
    })
    expect(settings(commandEnv({}, AT))).toEqual(settingsAt(0))
    const personal = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Ada' }
    expect(settings(commandEnv(personal, AT))).toEqual({ ...personal, ...settingsAt(1) })
    expect(settings(commandEnv({ ...personal, GIT_CONFIG_VALUE_0: undefined }, AT))).toEqual(settingsAt(0))
    for (const count of ['-1', 'x', '1e9', ''])
      expect(settings(commandEnv({ GIT_CONFIG_COUNT: count }, AT))).toEqual(settingsAt(0))
  })
})
