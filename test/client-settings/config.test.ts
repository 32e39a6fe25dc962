import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { plansOf } from '../../src/client-settings/plans.js'
import { HOSTS } from '../../src/hosts/index.js'
import { applyClients, findClients, type HostName, planClients } from '../../src/surface/index.js'
import { escrow } from '../cli/harness.js'
import { tempDir } from '../support/facade.js'
import { git } from '../support/git.js'
import { reasonOf } from '../support/workspace.js'

function setUp(files: Readonly<Record<string, string>> = {}) {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  for (const dir of ['.orchestration', '.claude', '.clinerules/hooks', '.roo'])
    mkdirSync(`${root}/${dir}`, { recursive: true })
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(`${root}/${path}`), { recursive: true })
    writeFileSync(`${root}/${path}`, text)
  }
  const text = (path: string) => (existsSync(`${root}/${path}`) ? readFileSync(`${root}/${path}`, 'utf8') : undefined)
  const enter = (client: HostName, remove = false, http?: string) =>
    applyClients(root, planClients(root, [client], { remove, ...(http !== undefined && { http }) }))
  return { root, text, enter }
}

const SETTINGS = `{
\t"permissions": {"deny": ["Bash(rm *)"]},
\t"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "mine"}]}]}
}`

describe("adding escrow to a client's settings", () => {
  it('keeps the existing entries of Claude Code, adds ours once, and removes them exactly', () => {
    const { text, enter } = setUp({
      '.claude/settings.json': SETTINGS,
      '.mcp.json': '{"mcpServers":{"own":{"command":"x"}}}\n',
    })
    enter('claude')
    const settings = JSON.parse(text('.claude/settings.json') ?? '')
    const allow = ['Bash(escrow-sh --session claude:*)', 'mcp__escrow']
    expect(settings.permissions).toEqual({ deny: ['Bash(rm *)'], allow })
    // Otherwise a dialog proposes to continue without our server.
    expect(settings.enabledMcpjsonServers).toEqual(['escrow'])
    expect(settings.hooks.PreToolUse).toEqual([
      { matcher: 'Bash', hooks: [{ type: 'command', command: 'mine' }] },
      {
        matcher: '*',
        hooks: [
          {
            type: 'command',
            command: expect.stringMatching(/^\/bin\/sh -c '.* escrow hook claude --session claude\)/),
            timeout: 30,
            onFailure: 'block',
          },
        ],
      },
    ])
    expect(Object.keys(settings.hooks)).toContain('WorktreeCreate')
    expect(text('.claude/settings.json')).toMatch(/^{\n\t"permissions"[\s\S]*}$/)
    expect(JSON.parse(text('.mcp.json') ?? '').mcpServers).toEqual({
      own: { command: 'x' },
      escrow: { command: '/bin/sh', args: ['-c', expect.stringMatching(/; exec escrow mcp --session claude$/)] },
    })
    const once = text('.claude/settings.json')
    enter('claude')
    expect(text('.claude/settings.json')).toBe(once)
    enter('claude', true)
    expect(text('.claude/settings.json')).toBe(SETTINGS)
    expect(text('.mcp.json')).toBe('{"mcpServers":{"own":{"command":"x"}}}\n')
  })

  it.each([
    ['claude', '.claude/settings.json', '{"permissions": {"deny": ["Bash(rm *)"]},  "model":"x" }'],
    ['claude', '.claude/settings.json', '{}'],
    [
      'claude',
      '.claude/settings.json',
      '{ "enabledMcpjsonServers": [ "own" ],"permissions":{ "allow": ["Bash(ls)"] } }',
    ],
    ['claude', '.mcp.json', '{\r\n    "mcpServers": {\r\n        "own": { "command": "x" }\r\n    }\r\n}\r\n'],
    [
      'opencode',
      'opencode.json',
      '{\n  // mine\n  "model": "a/b", /* not dear */\n  "mcp": {"own": {"type": "local"},},\n}\n',
    ],
    ['gemini', '.gemini/settings.json', '// mine\n{"hooks": {"AfterTool": [{"hooks": []}]}}'],
  ] as const)('%s: removal restores %s byte for byte: %j', (client, path, before) => {
    const { text, enter } = setUp({ [path]: before })
    enter(client)
    expect(text(path)).toContain('escrow')
    enter(client)
    enter(client, true)
    expect(text(path)).toBe(before)
  })

  it('creates missing files, and removes them again', () => {
    const { root, text, enter } = setUp()
    for (const client of ['claude', 'cline', 'roo'] as const) enter(client)
    expect(statSync(`${root}/.clinerules/hooks/PreToolUse`).mode & 0o777).toBe(0o755)
    expect(findClients(root).map(({ client, isEntered }) => [client, isEntered])).toEqual([
      ['claude', true],
      ['cline', true],
      ['roo', true],
    ])
    for (const client of ['claude', 'cline', 'roo'] as const) enter(client, true)
    for (const path of ['.claude/settings.json', '.mcp.json', '.clinerules/hooks/PreToolUse', '.roo/mcp.json'])
      expect([path, text(path)]).toEqual([path, undefined])
  })

  it('finds a client that shares its file with another only if escrow is not in the settings of the other', () => {
    const { root, enter } = setUp()
    enter('mcp')
    const foundClients = () => findClients(root).map(({ client }) => client)
    expect(foundClients()).toContain('mcp')
    enter('claude')
    expect(foundClients()).not.toContain('mcp')
    enter('claude', true)
    enter('mcp')
    expect(foundClients()).toContain('mcp')
  })

  it('says that only texts for its model identify a client', () => {
    const { root } = setUp({ 'GEMINI.md': '# Rules\n', '.codex/config.toml': '' })
    const clients = findClients(root).filter(({ client }) => client === 'gemini' || client === 'codex')
    expect(clients).toEqual([
      { client: 'codex', isEntered: false },
      { client: 'gemini', isEntered: false, hasOnlyTexts: true },
    ])
  })

  it("blocks a client's tools if escrow cannot be started, in the form that each client expects", () => {
    const { root, text, enter } = setUp()
    enter('claude')
    enter('cline')
    const [{ hooks }] = JSON.parse(text('.claude/settings.json') ?? '').hooks.PreToolUse
    const env = { PATH: '/nowhere' }
    const claude = spawnSync('/bin/sh', ['-c', hooks[0].command], { cwd: root, env, input: '{}', encoding: 'utf8' })
    expect([claude.status, claude.stdout]).toEqual([2, ''])
    const script = `${root}/.clinerules/hooks/PreToolUse`
    const cline = spawnSync(script, { cwd: root, env, input: '{}', encoding: 'utf8' })
    expect(JSON.parse(cline.stdout)).toMatchObject({ cancel: true })
  })

  it.each([
    ['hangs', 'sleep 600', 137],
    ['prints no JSON', 'echo "Welcome back"; echo "{}"', 0],
    ['exits with another code', 'exit 7', 7],
  ])("blocks a client's tools if escrow %s", (_, body) => {
    const { root, text, enter } = setUp({ 'bin/escrow': `#!/bin/sh\n${body}\n` })
    chmodSync(`${root}/bin/escrow`, 0o755)
    for (const client of ['claude', 'codex', 'gemini', 'cline'] as const) enter(client)
    const env = { PATH: `${root}/bin:/usr/bin:/bin` }
    // The test uses a shorter timeout.
    const killSooner = (line: string) => line.replaceAll('KILL 25', 'KILL 1')
    const hooks = [
      ['.claude/settings.json', 'PreToolUse'],
      ['.codex/hooks.json', 'PreToolUse'],
      ['.gemini/settings.json', 'BeforeTool'],
    ] as const
    for (const [path, event] of hooks) {
      const [{ hooks: ours }] = JSON.parse(text(path) ?? '').hooks[event]
      const ran = spawnSync('/bin/sh', ['-c', killSooner(ours[0].command)], {
        cwd: root,
        env,
        input: '{}',
        encoding: 'utf8',
      })
      expect([path, ran.status, ran.stdout, ran.stderr]).toEqual([path, 2, '', expect.stringContaining('is refused')])
    }
    const script = killSooner(text('.clinerules/hooks/PreToolUse') ?? '')
    const cline = spawnSync('/bin/sh', ['-c', script], { cwd: root, env, input: '{}', encoding: 'utf8' })
    expect(JSON.parse(cline.stdout)).toMatchObject({ cancel: true })
  })

  it("passes on escrow's answer byte for byte, and its own reason only if it refuses", () => {
    const { root, text, enter } = setUp({ 'bin/escrow': '#!/bin/sh\ncat\necho "why not" >&2\nexit "$CODE"\n' })
    chmodSync(`${root}/bin/escrow`, 0o755)
    enter('codex')
    const [{ hooks }] = JSON.parse(text('.codex/hooks.json') ?? '').hooks.PreToolUse
    const ran = (CODE: string) => {
      const env = { PATH: `${root}/bin:/usr/bin:/bin`, CODE }
      const input = '{"a":"\\\\n %s $HOME `x` \\"}'
      return spawnSync('/bin/sh', ['-c', hooks[0].command], { cwd: root, env, input, encoding: 'utf8' })
    }
    expect(ran('0')).toMatchObject({ status: 0, stdout: '{"a":"\\\\n %s $HOME `x` \\"}\n' })
    expect(ran('2')).toMatchObject({ status: 2, stdout: '', stderr: 'why not\n' })
  })

  it('recognizes the entries of an earlier version', () => {
    const former = 'escrow hook claude --session claude || exit 2'
    const hook = { type: 'command', command: former, timeout: 30, onFailure: 'block' }
    const { text, enter } = setUp({ '.claude/settings.json': JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } }) })
    enter('claude')
    expect(text('.claude/settings.json')).not.toContain(former)
    expect(JSON.parse(text('.claude/settings.json') ?? '').hooks.Stop).toHaveLength(1)
  })

  it('contains no path of this machine in shared files', () => {
    const { root, enter } = setUp()
    for (const client of HOSTS) enter(client)
    const files = HOSTS.flatMap((client) => plansOf(client, root, false)).map(({ after = '' }) => after)
    for (const place of [root, homedir(), process.execPath, process.cwd()])
      expect(files.filter((text) => text.includes(place))).toEqual([])
  })

  it.each([
    ['.mcp.json', 'mcp', { mcpServers: { escrow: { command: 'escrow', args: ['mcp'] } } }],
    ['.mcp.json', 'claude', { mcpServers: { escrow: { command: 'escrow', args: ['mcp', '--session', 'claude'] } } }],
    [
      'opencode.json',
      'opencode',
      { mcp: { escrow: { type: 'local', command: ['escrow', 'mcp', '--session', 'opencode'], enabled: true } } },
    ],
  ] as const)('replaces the server in %s that an earlier version added', (path, client, settings) => {
    const { text, enter } = setUp({ [path]: JSON.stringify(settings) })
    enter(client)
    expect(text(path)).toContain('exec escrow mcp')
    enter(client, true)
    expect(text(path)).not.toContain('escrow')
  })

  it("keeps our server with a person's arguments, and replaces the lines of an earlier version for Codex", () => {
    const own = { mcpServers: { escrow: { command: 'escrow', args: ['mcp', '--session', 'mine'] } } }
    const former = '[mcp_servers.escrow]\ncommand = "escrow"\nargs = ["mcp", "--session", "codex"]\n'
    const head = 'model = "x"\n# Written by escrow init --codex; taken away by escrow init --codex --remove.\n'
    const { text, enter } = setUp({ '.mcp.json': JSON.stringify(own), '.codex/config.toml': head + former })
    enter('mcp')
    expect(JSON.parse(text('.mcp.json') ?? '')).toEqual(own)
    enter('codex')
    expect(text('.codex/config.toml')?.match(/mcp_servers/g)).toHaveLength(1)
    enter('codex', true)
    expect(text('.codex/config.toml')).toBe('model = "x"\n')
  })

  it('makes the server of Codex required if an earlier version did not', () => {
    const { text, enter } = setUp()
    enter('codex')
    const written = text('.codex/config.toml') ?? ''
    const former = written.replace('required = true\nstartup_timeout_sec = 30\n', '')
    expect(former).not.toBe(written)
    const others = '\n# Mine.\n[mcp_servers.other]\nurl = "http://127.0.0.1:1"\n'
    const second = setUp({ '.codex/config.toml': former + others })
    second.enter('codex')
    expect(second.text('.codex/config.toml')).toBe(others + written)
  })

  it("does not move a person's settings out of escrow's table for Codex", async () => {
    const { text, enter } = setUp()
    enter('codex')
    const written = text('.codex/config.toml') ?? ''
    const former = written.replace('required = true\nstartup_timeout_sec = 30\n', '')
    const mine = '\n# Slow.\nenabled_tools = ["read_file"]\n'
    const old = setUp({ '.codex/config.toml': former + mine })
    expect(await reasonOf(() => old.enter('codex'))).toBe('unsupported')
    expect(await reasonOf(() => old.enter('codex', true))).toBe('unsupported')
    expect(old.text('.codex/config.toml')).toBe(former + mine)
    const current = setUp({ '.codex/config.toml': written + mine })
    current.enter('codex')
    expect(await reasonOf(() => current.enter('codex', true))).toBe('unsupported')
    expect(current.text('.codex/config.toml')).toBe(written + mine)
  })

  it('writes no token to a file that git would track', async () => {
    const { root, text, enter } = setUp()
    git(root, 'init', '-q')
    const enterServed = () => enter('claude', false, 'http://127.0.0.1:4270')
    expect(await reasonOf(enterServed)).toBe('unsupported')
    expect(text('.claude/settings.local.json')).toBeUndefined()
    writeFileSync(`${root}/.gitignore`, '.claude/*.local.json\n')
    enterServed()
    expect(text('.claude/settings.local.json')).toContain('Bearer ')
    git(root, 'add', '-f', '.claude/settings.local.json')
    expect(await reasonOf(enterServed)).toBe('unsupported')
  })

  it.each([
    ['claude', '.claude/settings.json', '// mine\n{}'],
    ['claude', '.claude/settings.json', '[]'],
    ['claude', '.claude/settings.json', '{"hooks": []}'],
    ['claude', '.claude/settings.json', '{"hooks": {"Stop": {}}}'],
    ['claude', '.mcp.json', '{"mcpServers": {"escrow": {"command": "other"}}}'],
    ['cline', '.clinerules/hooks/PreToolUse', '#!/bin/sh\nmine\n'],
    ['roo', '.roo/mcp.json', '{'],
  ] as const)('%s: leaves %s unchanged if it is %j', async (client, path, before) => {
    const { text, enter } = setUp({ [path]: before })
    expect(await reasonOf(() => enter(client))).toBe('unsupported')
    expect(text(path)).toBe(before)
  })

  it('follows no link, overwrites no changed file, and is refused inside of a session', async () => {
    const { root, enter, text } = setUp({ 'elsewhere.json': '{}' })
    symlinkSync('elsewhere.json', `${root}/.mcp.json`)
    expect(await reasonOf(() => enter('mcp'))).toBe('unsupported')
    const files = planClients(root, ['roo'])
    writeFileSync(`${root}/.roo/mcp.json`, '{"a": 1}')
    expect(await reasonOf(() => applyClients(root, files))).toBe('stale_file')
    expect(text('.roo/mcp.json')).toBe('{"a": 1}')
    vi.stubEnv('ESCROW_SESSION', 'agent')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await reasonOf(() => planClients(root, ['roo']))).toBe('access_denied')
  })

  it('shows the change first on the command line, and doctor reports the result', async () => {
    const { root, text } = setUp()
    const before = await escrow(root, ['doctor'])
    expect(before.out).toMatch(/^claude +not governed\n +set it up with 'escrow init --claude'/m)
    const { code, out } = await escrow(root, ['init', '--claude', '--yes'])
    expect(code).toBe(0)
    expect(out).toMatch(/^\+ +"command": "\/bin\/sh -c .* escrow hook claude --session claude\)/m)
    expect(out).toContain('created  .claude/settings.json\n')
    expect((await escrow(root, ['doctor'])).out).toMatch(/^claude +governed by hooks.*\n.*tools are blocked/m)
    expect((await escrow(root, ['init', '--claude', '--yes'])).out).toContain('The settings need no change.')
    expect((await escrow(root, ['init', '--remove', '--yes'])).out).toContain('removed  .claude/settings.json\n')
    expect(text('.claude/settings.json')).toBeUndefined()
  })
})
