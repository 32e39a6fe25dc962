import fs from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { git } from '../support/git.js'
import { PROVIDERS, withProvider } from '../support/providers.js'
import { INTENTS } from '../support/workspace.js'
import { site } from './site.js'

/**
 * A command, or a program that git starts by a command's setting, leaves a link in place of a directory. No later
 * operation on the tree leads out of it.
 */

/** A directory outside of the workspace that commands may not change, with a file that they may not read. */
function setUpOutside() {
  const dir = fs.mkdtempSync(`${fs.realpathSync(process.env.HOME ?? '')}/outside-`)
  onTestFinished(() => {
    fs.chmodSync(dir, 0o700)
    fs.rmSync(dir, { recursive: true, force: true })
  })
  fs.mkdirSync(`${dir}/y/kept`, { recursive: true })
  fs.writeFileSync(`${dir}/y/kept/file`, 'of the person\n')
  return { dir, modes: () => [dir, `${dir}/y`, `${dir}/y/kept`, `${dir}/y/kept/file`].map(modeOf) }
}

const modeOf = (path: string) => fs.lstatSync(path, { throwIfNoEntry: false })?.mode.toString(8)

/** A shell script that makes the next `git log` in the mount start another script, if git fetches what a partial clone lacks. */
function onFetch(root: string, script: string): string {
  return `cat > .git/fetch.sh <<'END'
cd ${root} && { ${script}; }
END
git config core.repositoryformatversion 1
git config extensions.partialClone origin
git config remote.origin.url ${root}/.git
git config remote.origin.promisor true
git config protocol.file.allow always
git config remote.origin.uploadpack 'sh ${root}/.git/fetch.sh;:'
commit=$(printf 'tree %s\\nparent 1234567890123456789012345678901234567890\\nauthor a <b> 1 +0000\\ncommitter a <b> 1 +0000\\n\\nx\\n' $(git rev-parse HEAD^{tree}) | git hash-object -t commit -w --stdin)
echo $commit > .git/refs/heads/main`
}

async function repository(files: Record<string, string> = {}) {
  const fixture = await site({ 'src/a': 'a\n', ...files })
  git(fixture.root, 'init', '-q', '-b', 'main')
  git(fixture.root, 'add', 'src/a')
  git(fixture.root, 'commit', '-q', '-m', 'Start')
  return fixture
}

describe.each(PROVIDERS)('in %s', (name) => {
  withProvider(name)

  it('git starts nothing of the session by itself', async () => {
    const { session, root } = await repository()
    await session.exec(onFetch(root, 'touch src/ran .git/ran; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit'))
    const { stdout } = await session.exec('ls src .git/ran .git/hooks/pre-commit 2>/dev/null; true')
    expect(stdout.trim().split('\n')).not.toContain('ran')
    expect(stdout).not.toMatch(/\.git/)
  })

  it('a directory of kept files that became a link is not followed', async () => {
    const { session, root } = await repository({ 'src/.gitignore': '*.k\n' })
    const { dir, modes } = setUpOutside()
    const before = modes()
    await session.exec('mkdir -p src/x/y; chmod 777 src/x; echo k > src/x/y/a.k')
    await session.exec(onFetch(root, `rm -rf src/x; ln -s ${dir} src/x`))
    session.fs.rmSync(`${root}/src/x/y`, { recursive: true, force: true })
    await session.exec('ls src/x/')
    expect(modes()).toEqual(before)
  })

  it('a kept file behind a link is not read, nor are its modes changed', async () => {
    const { session, root } = await site({ 'src/a': 'a\n', 'src/sub/b': 'b\n' })
    const { dir } = setUpOutside()
    fs.chmodSync(`${dir}/y/kept/file`, 0)
    fs.chmodSync(`${dir}/y/kept`, 0)
    onTestFinished(() => fs.chmodSync(`${dir}/y/kept`, 0o700))
    session.fs.writeFileSync(`${root}/src/.gitignore`, 'kept/\n')
    await session.exec('mkdir src/sub/kept; echo x > src/sub/kept/x')
    session.fs.writeFileSync(`${root}/src/.gitignore`, '#\n')
    await session.exec(`rm -rf src/sub; ln -s ${dir}/y src/sub`)
    await session.exec('true')
    expect([modeOf(`${dir}/y/kept`), fs.lstatSync(`${dir}/y/kept`).mode & 0o777]).toEqual(['40000', 0])
    fs.chmodSync(`${dir}/y/kept`, 0o700)
    expect(fs.lstatSync(`${dir}/y/kept/file`).mode & 0o777).toBe(0)
  })

  it('kept files are not copied through a link to another mount', async () => {
    const { session, root } = await site({ 'src/a': 'a\n', 'src/sub/b': 'b\n' })
    const { dir } = setUpOutside()
    session.fs.writeFileSync(`${root}/src/.gitignore`, 'kept/\n')
    await session.exec('mkdir src/sub/kept; echo x > src/sub/kept/x')
    await session.exec(`rm -rf src/sub; ln -s ${dir}/y src/sub`)
    session.fs.rmSync(`${root}/src/sub`, { recursive: true, force: true })
    session.fs.mkdirSync(`${root}/src/sub`)
    const command = await session.start('find src/sub; cat src/sub/kept/file')
    await command.wait()
    expect(command.read().text).not.toContain('of the person')
  })
})

describe.each(PROVIDERS.filter((each) => each.startsWith('namespace')))('in %s', (name) => {
  withProvider(name)

  it('nothing is mounted through a link on the way to a read-only name', async () => {
    const files = { 'src/a': 'a\n', '.gitignore': 'node_modules\n', '.claude/settings.json': '{}' }
    const { session, root } = await site(files, INTENTS)
    const { dir } = setUpOutside()
    fs.mkdirSync(`${dir}/escrowfs`)
    await session.exec(`ln -s ${dir} node_modules`)
    fs.mkdirSync(`${root}/node_modules/escrowfs`, { recursive: true })
    const { exitCode, stdout } = await session.exec(`grep -c ' ${dir}' /proc/self/mountinfo; mkdir .claude/x`)
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '0\n' })
  })
})
