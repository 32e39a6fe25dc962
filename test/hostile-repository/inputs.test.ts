import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { findProgram, ownEnv } from '../../src/os/search-path.js'
import { hostileClone, shadowed } from './inputs-kit.js'

/** Programs that lie in a clone, and variables that a direnv of the clone sets. */

/** Makes a session that may write everything. */
const SESSION = `const { openWorkspace } = await load('src/index.js')
  const workspace = await openWorkspace(process.cwd())
      await workspace.accept((await workspace.trust()).digest)
  await (await workspace.session({ id: 's', agent: { model: 'm' } })).selectIntent('INT-001')
  await workspace.close()`

describe('a program of the clone that has the name of another', () => {
  it('is not started by init, doctor, exec, commit, log or status', { timeout: 120_000 }, () => {
    const clone = hostileClone({ 'src/a.ts': 'a\n' })
    const env = shadowed(clone)
    clone.call(SESSION, env)
    const ran = [
      ['init', '--claude', '--yes', '--approval-by', 'any'],
      ['doctor'],
      ['exec', '--intent', 'INT-001', 's', '--', '/bin/sh', '-c', 'for n in 1 2 3; do echo $n > src/$n.ts; done'],
      ['approve', 's', '--by', 'Ada'],
      ['commit', 's'],
      ['log'],
      ['status'],
    ].map((argv) => clone.escrow(argv, env))
    // There is no `escrow` on PATH: the launcher that init made runs the hook that was entered.
    expect(ran.map(({ status, stderr }) => [status, stderr])).toEqual(ran.map(({ stderr }) => [0, stderr]))
    expect(readFileSync(join(clone.root, 'src/3.ts'), 'utf8')).toBe('3\n')
    expect(clone.started()).toEqual([])
  })

  it('is not the one that makes a commit durable', () => {
    const clone = hostileClone()
    const { stdout } = clone.call(
      `const { flushFileSystem } = await load('src/os/flush.js')
      console.log(flushFileSystem(process.cwd()))`,
      shadowed(clone),
    )
    expect([stdout, clone.started()]).toEqual(['true\n', []])
  })

  it.each([
    ['editor', "const { editText } = await load('src/surface/index.js'); await editText('x', 'x.txt')", 'vi'],
    ['pager', "const { showPaged } = await load('src/surface/index.js'); await showPaged('x')", 'less'],
    [
      'browser',
      "const { openBrowser } = await load('src/surface/index.js'); openBrowser('http://127.0.0.1:1')",
      'xdg-open',
    ],
  ])('is not taken for the %s', async (_, statements, program) => {
    const clone = hostileClone()
    const env = shadowed(clone, [program])
    // The system's own would wait for a person.
    clone.write(`../system/${program}`, '#!/bin/sh\necho system > "$HOME/system"\n', 0o755)
    clone.call(`${statements}\nawait new Promise((done) => setTimeout(done, 500))`, {
      PATH: `.:bin::${clone.root}/bin:${join(clone.root, '../system')}:${env.PATH}`,
    })
    expect(clone.started()).toEqual([])
    expect(readFileSync(join(clone.home, 'system'), 'utf8')).toBe('system\n')
  })

  it('is not what `escrow run` and `escrow acp` start by a bare name', { timeout: 60_000 }, () => {
    const clone = hostileClone()
    const env = shadowed(clone, ['agent'])
    for (const command of ['run', 'acp']) {
      const { status, stderr } = clone.escrow([command, '--intent', 'INT-001', '--', 'agent'], env)
      expect([status, stderr]).toEqual([1, expect.stringContaining(`${clone.root}/agent`)])
    }
    expect(clone.started()).toEqual([])
  })

  it('is not what an answer to a client names', () => {
    const clone = hostileClone()
    const env = shadowed(clone, ['escrow-sh'])
    const event = {
      hook_event_name: 'PreToolUse',
      session_id: 'c',
      cwd: clone.root,
      tool_name: 'Bash',
      tool_use_id: 't',
    }
    const asked = `const { answerClaude } = await load('src/agents/claude/index.js')
      const answer = await answerClaude(${JSON.stringify(JSON.stringify({ ...event, tool_input: { command: 'ls' } }))})
      console.log(answer.hookSpecificOutput.updatedInput.command)`
    clone.call(SESSION)
    const held = clone.call(asked, { ...env, ESCROW_INTENT_ID: 'INT-001' })
    expect([held.status, held.stderr]).toEqual([1, expect.stringContaining(`${clone.root}/escrow-sh`)])
    const own = join(clone.root, '../own')
    clone.write('../own/escrow-sh', '#!/bin/sh\n', 0o755)
    const named = clone.call(asked, { PATH: `${env.PATH}:${own}`, ESCROW_INTENT_ID: 'INT-001' })
    expect(named.stdout).toMatch(new RegExp(`^${own}/escrow-sh --session c `))
    const plain = clone.call(asked, { PATH: `${own}:${process.env.PATH}`, ESCROW_INTENT_ID: 'INT-001' })
    expect(plain.stdout).toMatch(/^escrow-sh --session c /)
  })
})

describe('where programs are looked for', () => {
  it('is no place in a workspace, or in the repository it is called in, under any name of it', () => {
    const clone = hostileClone({ 'bin/x': '' })
    symlinkSync(join(clone.root, 'bin'), join(clone.home, 'link'))
    mkdirSync(join(clone.home, 'tools/.git'), { recursive: true })
    const places = ['.', '', 'bin', `${clone.root}/bin`, `${clone.root}/none/../bin`, `${clone.home}/link`, clone.root]
    const PATH = [...places, '/usr/bin', `${clone.home}/tools`].join(':')
    expect(ownEnv({ PATH }).PATH).toBe(`/usr/bin:${clone.home}/tools`)
    expect(ownEnv({ PATH }, { cwd: `${clone.home}/tools`, home: clone.home }).PATH).toBe('/usr/bin')
    expect(ownEnv({ PATH: 'bin' }).PATH).not.toBe('')
  })

  it('keeps the tools of a home directory that is a repository itself', () => {
    const clone = hostileClone()
    for (const dir of ['.git', '.local/bin', 'work']) mkdirSync(join(clone.home, dir), { recursive: true })
    const PATH = `${clone.home}/.local/bin`
    expect(ownEnv({ PATH }, { cwd: join(clone.home, 'work'), home: clone.home }).PATH).toBe(PATH)
  })

  it('tells which program a bare name means, and which one is in its way', () => {
    const clone = hostileClone()
    for (const path of ['bin/tool', '../own/tool']) clone.write(path, '#!/bin/sh\n', 0o755)
    clone.write('../own/text', 'no program')
    const [inside, own] = [`${clone.root}/bin`, join(clone.root, '../own')]
    expect(findProgram('tool', { PATH: `${inside}:${own}` })).toEqual({ path: `${own}/tool`, shadow: `${inside}/tool` })
    expect(findProgram('tool', { PATH: `${own}:${inside}` })).toEqual({ path: `${own}/tool` })
    expect(findProgram('tool', { PATH: inside })).toEqual({ shadow: `${inside}/tool` })
    expect(findProgram('text', { PATH: own })).toEqual({})
  })
})

describe('a variable that a direnv of the clone sets', () => {
  it.each([
    ['VISUAL', "const { editText } = await load('src/surface/index.js'); await editText('x', 'x.txt')"],
    ['EDITOR', "const { editText } = await load('src/surface/index.js'); await editText('x', 'x.txt')"],
    ['PAGER', "const { showPaged } = await load('src/surface/index.js'); await showPaged('x')"],
  ])('%s that names a program of the clone is refused by its name', (name, statements) => {
    const clone = hostileClone()
    clone.write('tool', clone.canary, 0o755)
    for (const value of ['./tool', `${clone.root}/tool --wait`, `'${clone.root}/tool'`, `env A=1 ${clone.root}/tool`]) {
      const { status, stderr } = clone.call(statements, { [name]: value })
      expect([status, stderr]).toEqual([1, expect.stringContaining(`${name} names a program in the workspace`)])
    }
    expect(clone.started()).toEqual([])
  })

  it('BROWSER that names a program of the clone opens nothing', () => {
    const clone = hostileClone()
    clone.write('tool', clone.canary, 0o755)
    const statements = `const { openBrowser } = await load('src/surface/index.js'); openBrowser('http://127.0.0.1:1')
      await new Promise((done) => setTimeout(done, 300))`
    for (const BROWSER of ['./tool', `${clone.root}/tool`]) clone.call(statements, { BROWSER })
    expect(clone.started()).toEqual([])
  })

  it('ESCROW_SESSION locks nobody out without saying so', () => {
    const clone = hostileClone()
    const { status, stderr } = clone.escrow(['commit', 's'], { ESCROW_SESSION: 'x' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('ESCROW_SESSION')])
  })

  it.each(['ESCROW_SESSION', 'ESCROW_SESSION_ID'])('%s is no path: a hook that is told one holds the tool', (name) => {
    const clone = hostileClone()
    const event = {
      hook_event_name: 'PreToolUse',
      session_id: 'c',
      cwd: clone.root,
      tool_name: 'Bash',
      tool_use_id: 't',
    }
    const { status, stderr } = clone.call(
      `const { answerClaude } = await load('src/agents/claude/index.js')
      await answerClaude(${JSON.stringify(JSON.stringify({ ...event, tool_input: { command: 'ls' } }))})`,
      { [name]: '../../../x', ESCROW_INTENT_ID: 'INT-001' },
    )
    expect([status, stderr]).toEqual([1, expect.stringContaining('../../../x')])
  })

  it('ESCROW_INTENT_ID selects an intent of the registry, and no file', () => {
    const clone = hostileClone()
    const event = {
      hook_event_name: 'PreToolUse',
      session_id: 'c',
      cwd: clone.root,
      tool_name: 'Write',
      tool_use_id: 't',
    }
    const tool_input = { file_path: join(clone.root, 'a'), content: '' }
    const { stdout } = clone.call(
      `const { answerClaude } = await load('src/agents/claude/index.js')
      console.log(JSON.stringify(await answerClaude(${JSON.stringify(JSON.stringify({ ...event, tool_input }))})))`,
      { ESCROW_INTENT_ID: '../x' },
    )
    expect(stdout).toContain('"permissionDecision":"deny"')
  })

  it('ESCROW_REVIEWER_KEY that lies in the clone is no key', () => {
    const clone = hostileClone({ 'key.pem': 'x', '.orchestration/policy.yaml': 'approval: {by: person}\n' })
    const { status, stderr } = clone.escrow(['commit', 's'], { ESCROW_REVIEWER_KEY: join(clone.root, 'key.pem') })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/ESCROW_REVIEWER_KEY.* is in the workspace/)])
  })

  it.each([
    ['HOME', '.gitconfig'],
    ['XDG_CONFIG_HOME', 'git/config'],
  ])('%s in the clone gives the reviewer no name', (name, file) => {
    const clone = hostileClone({ [`conf/${file}`]: '[user]\n\tname = Forged\n' })
    for (const value of [join(clone.root, 'conf'), 'conf']) {
      const { stdout, stderr } = clone.call(
        `const { gitUser } = await load('src/os/git.js'); console.log(gitUser(process.cwd()).name)`,
        { [name]: value },
      )
      expect([stdout, stderr]).toEqual([expect.not.stringContaining('Forged'), ''])
    }
  })

  it('GIT_DIR, GIT_CONFIG_GLOBAL and their like are not read', () => {
    const clone = hostileClone({ 'fake/config': '[user]\n\tname = Forged\n', 'fake/HEAD': 'ref: refs/heads/x\n' })
    writeFileSync(join(clone.home, '.gitconfig'), '[user]\n\tname = Ada\n')
    const { stdout } = clone.call(
      `const { gitUser, findGit } = await load('src/os/git.js')
      console.log(gitUser(process.cwd()).name, findGit(process.cwd()))`,
      {
        ...{ GIT_DIR: join(clone.root, 'fake'), GIT_CONFIG_GLOBAL: join(clone.root, 'fake/config') },
        ...{
          GIT_CONFIG_COUNT: '1',
          GIT_CONFIG_KEY_0: 'user.name',
          GIT_CONFIG_VALUE_0: 'Forged',
          GIT_AUTHOR_NAME: 'Forged',
        },
      },
    )
    expect(stdout).toBe('Ada undefined\n')
  })

  it('XDG_STATE_HOME that leads into the clone is refused by its name', { timeout: 60_000 }, () => {
    const clone = hostileClone()
    for (const XDG_STATE_HOME of [clone.root, join(clone.root, 'none/state')])
      for (const argv of [['status'], ['log'], ['verify'], ['init', '--yes'], ['keys'], ['keys', '--reviewer']]) {
        const { status, stderr } = clone.escrow(argv, { XDG_STATE_HOME })
        expect([...argv, status, stderr]).toEqual([...argv, 1, expect.stringContaining('XDG_STATE_HOME')])
      }
    const token = clone.call(`const { hookToken } = await load('src/surface/index.js'); hookToken(process.cwd())`, {
      XDG_STATE_HOME: clone.root,
    })
    expect([token.status, token.stderr]).toEqual([1, expect.stringContaining('XDG_STATE_HOME')])
    expect(existsSync(join(clone.root, 'escrowfs'))).toBe(false)
  })

  it('XDG_STATE_HOME does not show commands the keys that lie where it does not lead', () => {
    const clone = hostileClone()
    const keys = join(clone.home, '.local/state/escrowfs')
    mkdirSync(keys, { recursive: true })
    for (const XDG_STATE_HOME of ['rel', join(clone.home, 'other')]) {
      // A command sees another /tmp, so where the test lies it would find nothing anyway.
      const { stdout } = clone.call(
        `const { visibilityOf } = await load('src/terminal/secrets.js')
        console.log(visibilityOf([]).hidden.map(({ path }) => path).includes(${JSON.stringify(keys)}))`,
        { XDG_STATE_HOME },
      )
      expect([XDG_STATE_HOME, stdout]).toEqual([XDG_STATE_HOME, 'true\n'])
    }
  })
})

describe('files of the clone that other programs obey', () => {
  const SCRIPTS = {
    'package.json': JSON.stringify({
      scripts: Object.fromEntries(
        ['preinstall', 'install', 'postinstall', 'prepare', 'init', 'doctor', 'escrow'].map((name) => [name, './tool']),
      ),
    }),
    '.npmrc': 'script-shell=./tool\nnode-options=--require ./tool.cjs\nignore-scripts=false\n',
    '.envrc': './tool\n',
    '.vscode/settings.json': '{"escrowfs.library": "workspace", "terminal.integrated.env.linux": {"PATH": "."}}',
    '.vscode/tasks.json': '{"tasks": [{"command": "./tool", "runOptions": {"runOn": "folderOpen"}}]}',
    '.editorconfig': 'root = true\n',
    '.exrc': '!./tool\n',
    '.lesskey': '#env\nLESSOPEN=|./tool %s\n',
  }

  it('are obeyed by neither init nor doctor: package.json, .npmrc, .envrc, settings of editors', {
    timeout: 60_000,
  }, () => {
    const clone = hostileClone(SCRIPTS)
    clone.write('tool', clone.canary, 0o755)
    for (const argv of [
      ['init', '--yes'],
      ['init', '--claude', '--codex', '--yes'],
      ['doctor'],
      ['init', '--remove', '--yes'],
    ])
      clone.escrow(argv)
    expect(clone.started()).toEqual([])
  })

  it('are not where the editor starts: it works in an empty directory of its own', () => {
    const clone = hostileClone(SCRIPTS)
    const editor = join(clone.home, 'editor')
    writeFileSync(editor, '#!/bin/sh\npwd > "$HOME/cwd"; ls -A > "$HOME/files"; stat -c %a . > "$HOME/mode"\n', {
      mode: 0o755,
    })
    const { stderr } = clone.call(
      "const { editText } = await load('src/surface/index.js'); await editText('x', 'x.txt')",
      {
        EDITOR: editor,
      },
    )
    const seen = (name: string) => readFileSync(join(clone.home, name), 'utf8').trim()
    expect([stderr, seen('files'), seen('mode')]).toEqual(['', 'x.txt', '700'])
    expect(seen('cwd').startsWith(clone.root)).toBe(false)
  })

  it('choose no library for the editor’s extension, which does not start in a folder nobody trusts', () => {
    const extension = new URL('../../examples/vscode-extension/package.json', import.meta.url)
    const { capabilities, contributes } = JSON.parse(readFileSync(extension, 'utf8'))
    expect(capabilities.untrustedWorkspaces.supported).toBe(false)
    expect(contributes.configuration.properties['escrowfs.library'].scope).toBe('machine')
  })
})
