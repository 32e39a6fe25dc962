import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { HomeHost, Session } from '../../src/index.js'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { reasonOf } from '../support/workspace.js'
import { site } from './site.js'

/** The directories of a client below the home directory, as its program sees them in each provider. */

let home = ''
let before: string | undefined
beforeEach(() => {
  // Not below /tmp, because each command has its own.
  mkdirSync('node_modules/.cache', { recursive: true })
  home = mkdtempSync(resolve('node_modules/.cache/home-'))
  before = process.env.HOME
  process.env.HOME = home
})
afterEach(() => {
  process.env.HOME = before
  rmSync(home, { recursive: true, force: true })
})

function put(path: string, text: string): void {
  mkdirSync(dirname(join(home, path)), { recursive: true })
  writeFileSync(join(home, path), text)
}
/** Runs a command as a client, and returns its output. */
async function runAs(client: HomeHost, session: Session, command: string): Promise<string> {
  const running = await session.start(command, { client })
  await running.wait()
  return running.read().text
}
const text = (path: string) => readFileSync(join(home, path), 'utf8')

describe.each(PROVIDERS)('in %s, a client', (name) => {
  withProvider(name)

  it('writes in its own directory, keeps that for its next run, and changes nothing of the person’s', async () => {
    put('.claude/history.jsonl', 'person\n')
    put('.claude.json', '{"login":1}')
    const { session } = await site()
    const run = (command: string) => runAs('claude', session, command)
    await run(
      'echo agent >> "$CLAUDE_CONFIG_DIR/history.jsonl"; mkdir "$CLAUDE_CONFIG_DIR/todos"; echo t > ~/.claude/todos/1',
    )
    put('.claude/new', 'later\n')
    expect(
      await run(
        'cd "$CLAUDE_CONFIG_DIR"; cat history.jsonl todos/1 new .claude.json; ls ~/.claude | grep -x -e new -e todos',
      ),
    ).toBe('person\nagent\nt\nlater\n{"login":1}new\ntodos\n')
    expect(text('.claude/history.jsonl')).toBe('person\n')
    expect(existsSync(join(home, '.claude/todos'))).toBe(false)
  })

  it("gets its settings in the person's version for each run", async () => {
    put('.claude/settings.json', '{"hooks":{}}')
    const { session } = await site()
    const run = (command: string) => runAs('claude', session, command)
    await run(
      'cd ~/.claude; echo x > settings.json; echo x > settings.local.json; mkdir -p agents; echo x > agents/a.md',
    )
    expect(await run('cd ~/.claude; cat settings.json; cat settings.local.json agents/a.md 2>/dev/null')).toMatch(
      /^\{"hooks":\{\}\}(\{\}\n)?$/,
    )
    expect(text('.claude/settings.json')).toBe('{"hooks":{}}')
  })

  it('reads the rest of the home directory, without the secrets, and cannot write there', async () => {
    put('.gitconfig', '[user]\n')
    put('.ssh/id_ed25519', 'secret\n')
    put('.codex/auth.json', 'secret\n')
    put('.config/opencode/opencode.json', '{}')
    put('.config/other/x', 'other\n')
    const { session } = await site()
    const output = await runAs(
      'opencode',
      session,
      'exec 2>/dev/null; cat ~/.gitconfig ~/.config/other/x; cat ~/.ssh/* ~/.codex/auth.json; echo x > ~/.gitconfig; echo x > ~/new; echo x > ~/.config/new; echo ok > ~/.config/opencode/made; cat ~/.config/opencode/made',
    )
    expect(output).toMatch(/^\[user\]\nother\n/)
    expect(output).toMatch(/ok\n$/)
    expect(output).not.toContain('secret')
    expect([text('.gitconfig'), existsSync(join(home, 'new')), existsSync(join(home, '.config/new'))]).toEqual([
      '[user]\n',
      false,
      false,
    ])
    expect(existsSync(join(home, '.config/opencode/made'))).toBe(false)
  })

  it('that leaves a link in place of a directory changes nothing outside', async () => {
    put('.cline/data/state.json', 'person\n')
    put('precious/settings/cline_mcp_settings.json', 'precious\n')
    put('precious/state.json', 'precious\n')
    const { session } = await site()
    const run = (command: string) => runAs('cline', session, command)
    await run(
      `rm -rf ~/.cline/data ~/.cline/hooks; ln -s ${home}/precious ~/.cline/data; ln -s ${home}/precious ~/.cline/hooks`,
    )
    put('.cline/data/state.json', 'newer\n')
    put('.cline/data/more', 'more\n')
    await run('true')
    expect(text('precious/settings/cline_mcp_settings.json')).toBe('precious\n')
    expect(text('precious/state.json')).toBe('precious\n')
    expect(existsSync(join(home, 'precious/more'))).toBe(false)
  })

  it('may have a directory that is a link', async () => {
    put('dotfiles/claude/CLAUDE.md', 'mine\n')
    symlinkSync('dotfiles/claude', join(home, '.claude'))
    const { session } = await site()
    expect(await runAs('claude', session, 'cat ~/.claude/CLAUDE.md; echo x > ~/.claude/x; cat ~/.claude/x')).toBe(
      'mine\nx\n',
    )
    expect(existsSync(join(home, 'dotfiles/claude/x'))).toBe(false)
  })

  it('gets the whole home directory only with layers', async () => {
    put('x', 'x\n')
    const { session } = await site()
    const start = () => session.start('echo y > ~/x', { home: true })
    if (name !== 'namespace-overlay') return expect(await reasonOf(start)).toBe('unsupported')
    await (await start()).wait()
    expect(text('x')).toBe('x\n')
  })
})
