import { execFileSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { findProgram, ownEnv } from '../../src/os/search-path.js'
import { hostileClone, shadowPrograms } from './inputs-kit.js'

/** Programs in a clone, and variables that its direnv sets. */

/** A named pipe that stays open: a program that reads it waits. */
function openPipe(dir: string): number {
  const path = join(dir, 'pipe')
  execFileSync('mkfifo', [path])
  const descriptor = openSync(path, 'r+')
  onTestFinished(() => closeSync(descriptor))
  return descriptor
}

/** Opens a session whose scope is the whole tree. */
const SESSION = `const { openWorkspace } = await load('src/index.js')
  const workspace = await openWorkspace(process.cwd())
      await workspace.accept((await workspace.trust()).digest)
  await (await workspace.session({ id: 's', agent: { model: 'm' } })).selectIntent('INT-001')
  await workspace.close()`

describe('a program in the clone that has the name of a system program', () => {
  it('is not started by init, doctor, exec, commit, log or status', { timeout: 120_000 }, () => {
    const clone = hostileClone({ 'src/a.ts': 'a\n' })
    const env = shadowPrograms(clone)
    clone.runModule(SESSION, env)
    const results = [
      ['init', '--claude', '--yes', '--approval-by', 'any'],
      ['doctor'],
      ['exec', '--intent', 'INT-001', 's', '--', '/bin/sh', '-c', 'for n in 1 2 3; do echo $n > src/$n.ts; done'],
      ['approve', 's', '--by', 'Ada'],
      ['commit', 's'],
      ['log'],
      ['status'],
    ].map((argv) => clone.escrow(argv, env))
    // `escrow` is not on PATH: the hook uses the launcher that init wrote.
    expect(results.map(({ status, stderr }) => [status, stderr])).toEqual(results.map(({ stderr }) => [0, stderr]))
    expect(readFileSync(join(clone.root, 'src/3.ts'), 'utf8')).toBe('3\n')
    expect(clone.startedPrograms()).toEqual([])
  })

  it('is not run to make a commit durable', () => {
    const clone = hostileClone()
    const { stdout } = clone.runModule(
      `const { flushFileSystem } = await load('src/os/flush.js')
      console.log(flushFileSystem(process.cwd()))`,
      shadowPrograms(clone),
    )
    expect([stdout, clone.startedPrograms()]).toEqual(['true\n', []])
  })

  it.each([
    ['editor', "const { editText } = await load('src/surface/index.js'); await editText('x', 'x.txt')", 'vi'],
    ['pager', "const { showPaged } = await load('src/surface/index.js'); await showPaged('x')", 'less'],
    [
      'browser',
      "const { openBrowser } = await load('src/surface/index.js'); openBrowser('http://127.0.0.1:1')",
      'xdg-open',
    ],
  ])('is not started as the %s', async (_, statements, program) => {
    const clone = hostileClone()
    const env = shadowPrograms(clone, [program])
    // The system's program would wait for a person.
    clone.write(`../system/${program}`, '#!/bin/sh\necho system > "$HOME/system"\n', 0o755)
    clone.runModule(`${statements}\nawait new Promise((done) => setTimeout(done, 500))`, {
      PATH: `.:bin::${clone.root}/bin:${join(clone.root, '../system')}:${env.PATH}`,
    })
    expect(clone.startedPrograms()).toEqual([])
    expect(readFileSync(join(clone.home, 'system'), 'utf8')).toBe('system\n')
  })

  it('is not started by `escrow run` and `escrow acp` for a bare name', { timeout: 60_000 }, () => {
    const clone = hostileClone()
    const env = shadowPrograms(clone, ['agent'])
    for (const command of ['run', 'acp']) {
      const { status, stderr } = clone.escrow([command, '--intent', 'INT-001', '--', 'agent'], env)
      expect([status, stderr]).toEqual([1, expect.stringContaining(`${clone.root}/agent`)])
    }
    expect(clone.startedPrograms()).toEqual([])
  })

  it.each(['run', 'start', 'acp'])(
    "is not started by `escrow %s` if the sandbox hides the system's own",
    {
      timeout: 60_000,
    },
    (command) => {
      const clone = hostileClone()
      clone.runModule(SESSION)
      clone.write('node_modules/.bin/agent', '#!/bin/sh\necho clone >&2\n', 0o755)
      // The sandbox has an empty directory in place of one that holds secrets.
      clone.write('../home/.aws/agent', '#!/bin/sh\n', 0o755)
      const PATH = `${clone.home}/.aws:${clone.root}/node_modules/.bin:${process.env.PATH}`
      const yes = command === 'start' ? ['--yes'] : []
      // An editor that has closed its connection would end the agent before the sandbox starts it.
      const editor = openPipe(clone.home)
      const { stderr } = clone.escrow([command, ...yes, '--intent', 'INT-001', '--', 'agent'], { PATH }, editor)
      expect(stderr).not.toMatch(/^clone$/m)
      expect(stderr).toContain(`${clone.home}/.aws/agent`)
    },
  )

  it('is not named in a hook answer to a client', () => {
    const clone = hostileClone()
    const env = shadowPrograms(clone, ['escrow-sh'])
    const event = {
      hook_event_name: 'PreToolUse',
      session_id: 'c',
      cwd: clone.root,
      tool_name: 'Bash',
      tool_use_id: 't',
    }
    const statements = `const { answerClaude } = await load('src/agents/claude/index.js')
      const answer = await answerClaude(${JSON.stringify(JSON.stringify({ ...event, tool_input: { command: 'ls' } }))})
      console.log(answer.hookSpecificOutput.updatedInput.command)`
    clone.runModule(SESSION)
    const refused = clone.runModule(statements, { ...env, ESCROW_INTENT_ID: 'INT-001' })
    expect([refused.status, refused.stderr]).toEqual([1, expect.stringContaining(`${clone.root}/escrow-sh`)])
    const own = join(clone.root, '../own')
    clone.write('../own/escrow-sh', '#!/bin/sh\n', 0o755)
    const absolute = clone.runModule(statements, { PATH: `${env.PATH}:${own}`, ESCROW_INTENT_ID: 'INT-001' })
    expect(absolute.stdout).toMatch(new RegExp(`^${own}/escrow-sh --session c `))
    const bare = clone.runModule(statements, { PATH: `${own}:${process.env.PATH}`, ESCROW_INTENT_ID: 'INT-001' })
    expect(bare.stdout).toMatch(/^escrow-sh --session c /)
  })
})

describe('the search path for programs', () => {
  it('excludes the workspace and the current repository, under any of their names', () => {
    const clone = hostileClone({ 'bin/x': '' })
    symlinkSync(join(clone.root, 'bin'), join(clone.home, 'link'))
    mkdirSync(join(clone.home, 'tools/.git'), { recursive: true })
    const places = ['.', '', 'bin', `${clone.root}/bin`, `${clone.root}/none/../bin`, `${clone.home}/link`, clone.root]
    const PATH = [...places, '/usr/bin', `${clone.home}/tools`].join(':')
    expect(ownEnv({ PATH }).PATH).toBe(`/usr/bin:${clone.home}/tools`)
    expect(ownEnv({ PATH }, { cwd: `${clone.home}/tools`, home: clone.home }).PATH).toBe('/usr/bin')
    expect(ownEnv({ PATH: 'bin' }).PATH).not.toBe('')
  })

  it('keeps the tools of a home directory that is itself a repository', () => {
    const clone = hostileClone()
    for (const dir of ['.git', '.local/bin', 'work']) mkdirSync(join(clone.home, dir), { recursive: true })
    const PATH = `${clone.home}/.local/bin`
    expect(ownEnv({ PATH }, { cwd: join(clone.home, 'work'), home: clone.home }).PATH).toBe(PATH)
  })

  it('resolves a bare name, and reports a program in the workspace that shadows it', () => {
    const clone = hostileClone()
    for (const path of ['bin/tool', '../own/tool']) clone.write(path, '#!/bin/sh\n', 0o755)
    clone.write('../own/text', 'no program')
    const [inside, own] = [`${clone.root}/bin`, join(clone.root, '../own')]
    const [shadow, path] = [`${inside}/tool`, `${own}/tool`]
    expect(findProgram('tool', { PATH: `${inside}:${own}` })).toEqual({ path, shadow, inTree: shadow })
    expect(findProgram('tool', { PATH: `${own}:${inside}` })).toEqual({ path, inTree: shadow })
    expect(findProgram('tool', { PATH: inside })).toEqual({ shadow, inTree: shadow })
    expect(findProgram('text', { PATH: own })).toEqual({})
  })
})

describe('a variable that the direnv of a clone sets', () => {
  it.each([
    ['VISUAL', "const { editText } = await load('src/surface/index.js'); await editText('x', 'x.txt')"],
    ['EDITOR', "const { editText } = await load('src/surface/index.js'); await editText('x', 'x.txt')"],
    ['PAGER', "const { showPaged } = await load('src/surface/index.js'); await showPaged('x')"],
  ])('%s is refused by name if it names a program in the clone', (name, statements) => {
    const clone = hostileClone()
    clone.write('tool', clone.canary, 0o755)
    for (const value of ['./tool', `${clone.root}/tool --wait`, `'${clone.root}/tool'`, `env A=1 ${clone.root}/tool`]) {
      const { status, stderr } = clone.runModule(statements, { [name]: value })
      expect([status, stderr]).toEqual([1, expect.stringContaining(`${name} names a program in the workspace`)])
    }
    expect(clone.startedPrograms()).toEqual([])
  })

  it('BROWSER opens nothing if it names a program in the clone', () => {
    const clone = hostileClone()
    clone.write('tool', clone.canary, 0o755)
    const statements = `const { openBrowser } = await load('src/surface/index.js'); openBrowser('http://127.0.0.1:1')
      await new Promise((done) => setTimeout(done, 300))`
    for (const BROWSER of ['./tool', `${clone.root}/tool`]) clone.runModule(statements, { BROWSER })
    expect(clone.startedPrograms()).toEqual([])
  })

  it('ESCROW_SESSION is named in the error when it blocks a command', () => {
    const clone = hostileClone()
    const { status, stderr } = clone.escrow(['commit', 's'], { ESCROW_SESSION: 'x' })
    expect([status, stderr]).toEqual([1, expect.stringContaining('ESCROW_SESSION')])
  })

  it.each(['ESCROW_SESSION', 'ESCROW_SESSION_ID'])('%s cannot be a path: the hook refuses the tool call', (name) => {
    const clone = hostileClone()
    const event = {
      hook_event_name: 'PreToolUse',
      session_id: 'c',
      cwd: clone.root,
      tool_name: 'Bash',
      tool_use_id: 't',
    }
    const { status, stderr } = clone.runModule(
      `const { answerClaude } = await load('src/agents/claude/index.js')
      await answerClaude(${JSON.stringify(JSON.stringify({ ...event, tool_input: { command: 'ls' } }))})`,
      { [name]: '../../../x', ESCROW_INTENT_ID: 'INT-001' },
    )
    expect([status, stderr]).toEqual([1, expect.stringContaining('../../../x')])
  })

  it('ESCROW_INTENT_ID selects an intent of the registry, not a file', () => {
    const clone = hostileClone()
    const event = {
      hook_event_name: 'PreToolUse',
      session_id: 'c',
      cwd: clone.root,
      tool_name: 'Write',
      tool_use_id: 't',
    }
    const tool_input = { file_path: join(clone.root, 'a'), content: '' }
    const { stdout } = clone.runModule(
      `const { answerClaude } = await load('src/agents/claude/index.js')
      console.log(JSON.stringify(await answerClaude(${JSON.stringify(JSON.stringify({ ...event, tool_input }))})))`,
      { ESCROW_INTENT_ID: '../x' },
    )
    expect(stdout).toContain('"permissionDecision":"deny"')
  })

  it('ESCROW_REVIEWER_KEY is refused if it is in the clone', () => {
    const clone = hostileClone({ 'key.pem': 'x', '.orchestration/policy.yaml': 'approval: {by: person}\n' })
    const { status, stderr } = clone.escrow(['commit', 's'], { ESCROW_REVIEWER_KEY: join(clone.root, 'key.pem') })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/ESCROW_REVIEWER_KEY.* is in the workspace/)])
  })

  it.each([
    ['HOME', '.gitconfig'],
    ['XDG_CONFIG_HOME', 'git/config'],
  ])('%s in the clone does not name the reviewer', (name, file) => {
    const clone = hostileClone({ [`conf/${file}`]: '[user]\n\tname = Forged\n' })
    for (const value of [join(clone.root, 'conf'), 'conf']) {
      const { stdout, stderr } = clone.runModule(
        `const { gitUser } = await load('src/os/git.js'); console.log(gitUser(process.cwd()).name)`,
        { [name]: value },
      )
      expect([stdout, stderr]).toEqual([expect.not.stringContaining('Forged'), ''])
    }
  })

  it('GIT_DIR, GIT_CONFIG_GLOBAL and similar variables are not read', () => {
    const clone = hostileClone({ 'fake/config': '[user]\n\tname = Forged\n', 'fake/HEAD': 'ref: refs/heads/x\n' })
    writeFileSync(join(clone.home, '.gitconfig'), '[user]\n\tname = Ada\n')
    const { stdout } = clone.runModule(
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

  it('XDG_STATE_HOME is refused by name if it is in the clone', { timeout: 60_000 }, () => {
    const clone = hostileClone()
    for (const XDG_STATE_HOME of [clone.root, join(clone.root, 'none/state')])
      for (const argv of [['status'], ['log'], ['verify'], ['init', '--yes'], ['keys'], ['keys', '--reviewer']]) {
        const { status, stderr } = clone.escrow(argv, { XDG_STATE_HOME })
        expect([...argv, status, stderr]).toEqual([...argv, 1, expect.stringContaining('XDG_STATE_HOME')])
      }
    const token = clone.runModule(
      `const { hookToken } = await load('src/surface/index.js'); hookToken(process.cwd())`,
      {
        XDG_STATE_HOME: clone.root,
      },
    )
    expect([token.status, token.stderr]).toEqual([1, expect.stringContaining('XDG_STATE_HOME')])
    expect(existsSync(join(clone.root, 'escrowfs'))).toBe(false)
  })

  it('XDG_STATE_HOME does not expose to commands the keys in the default directory', () => {
    const clone = hostileClone()
    const keys = join(clone.home, '.local/state/escrowfs')
    mkdirSync(keys, { recursive: true })
    for (const XDG_STATE_HOME of ['rel', join(clone.home, 'other')]) {
      // A command has its own /tmp, so it could not see the directory of this test anyway.
      const { stdout } = clone.runModule(
        `const { visibilityOf } = await load('src/terminal/secrets.js')
        console.log(visibilityOf([]).hidden.map(({ path }) => path).includes(${JSON.stringify(keys)}))`,
        { XDG_STATE_HOME },
      )
      expect([XDG_STATE_HOME, stdout]).toEqual([XDG_STATE_HOME, 'true\n'])
    }
  })
})

describe('configuration files in the clone for other programs', () => {
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

  it('have no effect on init or doctor: package.json, .npmrc, .envrc, editor settings', {
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
    expect(clone.startedPrograms()).toEqual([])
  })

  it('do not affect the editor, which starts in its own empty directory', () => {
    const clone = hostileClone(SCRIPTS)
    const editor = join(clone.home, 'editor')
    writeFileSync(editor, '#!/bin/sh\npwd > "$HOME/cwd"; ls -A > "$HOME/files"; stat -c %a . > "$HOME/mode"\n', {
      mode: 0o755,
    })
    const { stderr } = clone.runModule(
      "const { editText } = await load('src/surface/index.js'); await editText('x', 'x.txt')",
      {
        EDITOR: editor,
      },
    )
    const readHomeFile = (name: string) => readFileSync(join(clone.home, name), 'utf8').trim()
    expect([stderr, readHomeFile('files'), readHomeFile('mode')]).toEqual(['', 'x.txt', '700'])
    expect(readHomeFile('cwd').startsWith(clone.root)).toBe(false)
  })

  it('do not choose the library of the editor extension, which does not start in an untrusted folder', () => {
    const extension = new URL('../../examples/vscode-extension/package.json', import.meta.url)
    const { capabilities, contributes } = JSON.parse(readFileSync(extension, 'utf8'))
    expect(capabilities.untrustedWorkspaces.supported).toBe(false)
    expect(contributes.configuration.properties['escrowfs.library'].scope).toBe('machine')
  })
})
