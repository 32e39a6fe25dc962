import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openShell, readersHome } from '../../docs/reader.js'
import { git } from '../../support/git.js'
import { start } from '../../support/tmux.js'

const AGENT = `sed -i s/net/gross/ src/price.js
echo 'Tax is 20 %.' > src/notes.md
mkdir -p .github && echo x > .github/ci.yml
git add src && git -c user.name=Agent -c user.email=a@b.c commit -q -m 'Show prices with tax'
`

/** A project of a person who has never used escrow. */
function project() {
  const home = readersHome()
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const root = `${home}/shop`
  mkdirSync(`${root}/src`, { recursive: true })
  writeFileSync(`${root}/src/price.js`, 'export const net = 1\n')
  writeFileSync(`${root}/agent.sh`, AGENT)
  git(root, 'init', '-q', '-b', 'main')
  git(root, 'add', '-A')
  git(root, 'commit', '-q', '-m', 'Start')
  const env = { HOME: home, XDG_STATE_HOME: `${home}/state`, LC_ALL: 'C.UTF-8' }
  const shell = openShell(home, env)
  return {
    home,
    root,
    env,
    type: (line: string) => shell(`cd ${root}; ${line}`),
    text: (path: string) => readFileSync(`${root}/${path}`, 'utf8'),
  }
}

describe('escrow start', () => {
  it('leads from a new directory to a commit with one command, one question and the review', async () => {
    const { home, root, env, text } = project()
    const PATH = `${home}/node_modules/.bin:${process.env.PATH}`
    const t = start('escrow start -- sh agent.sh', { cwd: root, columns: 120, rows: 40, env: { ...env, PATH } })
    await t.waitFor('What should sh do?')
    t.type('Show prices with tax')
    t.key('Enter')
    await t.waitFor('1/3 .github')
    expect(text('src/price.js')).toBe('export const net = 1\n')
    t.key('A')
    await t.waitFor(/pprove/)
    t.key('y')
    await t.waitFor(/3 approved/)
    t.key('Enter')
    await t.waitFor('Write to disk: 3 files')
    t.key('y')
    await t.waitFor(/0 pending, 0 approved|committed/)
    t.key('q')
    expect(await t.waitForExit()).toBe(0)
    expect(text('src/price.js')).toBe('export const gross = 1\n')
    expect(existsSync(`${root}/.github/ci.yml`)).toBe(false)
    expect(text('.orchestration/active_intents.yaml')).toContain('Show prices with tax')
  })

  it('asks nothing with --yes, and prints the limits, the refusals and how to allow them', () => {
    const { type, text, root } = project()
    const { status, stderr } = type("escrow start --yes --task 'Show prices with tax' -- sh agent.sh")
    expect(status).toBe(0)
    expect(stderr).toContain(`works for INT-001 "Show prices with tax" in session 'sh'.`)
    expect(stderr).toContain('writes   staged, in *, src/**;')
    expect(stderr).toContain('network  none')
    expect(stderr).toContain('git commit kept as a proposal: Show prices with tax (2 files)')
    expect(stderr).toContain('escrow intents scope INT-001 --add .github/ci.yml')
    expect(stderr).not.toContain('protected_path')
    expect(text('src/price.js')).toBe('export const net = 1\n')
    expect(git(root, 'log', '--format=%s').trim()).toBe('Start')
  })

  it('shows the next run the staged changes of the last one, and selects the open intent without a question', () => {
    const { type } = project()
    type("escrow start --yes --task 'Show prices with tax' -- sh agent.sh")
    const { status, stdout, stderr } = type('escrow start --yes -- sh -c "cat src/price.js"')
    expect([status, stdout]).toEqual([0, 'export const gross = 1\n'])
    expect(stderr).toContain('works for INT-001')
  })

  it('creates nothing if a question is needed and nobody can answer', () => {
    const { type, root } = project()
    const { status, stderr } = type('escrow start -- sh -c "sh agent.sh"')
    expect([status, existsSync(`${root}/.orchestration`)]).toEqual([1, false])
    expect(stderr).toContain("--task 'Show prices with tax'")
  })

  it('refuses a home directory as workspace', () => {
    const { type, home } = project()
    const { status, stderr } = type(`cd ${home}; escrow start --yes --task 'a b' -- true`)
    expect([status, existsSync(`${home}/.orchestration`)]).toEqual([1, false])
    expect(stderr).toContain('contains your home directory')
    expect(home).not.toBe(homedir())
  })

  it('prints how to install a missing client', () => {
    const { type, root } = project()
    const { status, stderr } = type(
      'PATH=$(dirname $(command -v escrow)):$(dirname $(command -v node)):/usr/bin:/bin escrow gemini --yes',
    )
    expect([status, existsSync(`${root}/.orchestration`)]).toEqual([1, false])
    expect(stderr).toContain('npm install -g @google/gemini-cli')
  })

  it('is refused within an agent session', () => {
    const { type } = project()
    const { stderr } = type("ESCROW_SESSION=agent escrow start --yes --task 'a b' -- true")
    expect(stderr).toContain('access_denied')
  })
})
