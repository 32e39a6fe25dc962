import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import { dirname } from 'node:path'
import { expect } from 'vitest'
import { invalidateTick } from '../../overlay/tick.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { readStoredGit } from '../../src/terminal/stored-git.js'
import { tempDir } from '../support/facade.js'
import { git, initEmptyRepository, tryGit } from '../support/git.js'
import { readTree } from '../support/read-tree.js'
import { type Site, site } from '../terminal/site.js'
import { FILES, type Step } from './steps.js'

/** Shows the whole state of a repository and its working tree. It changes nothing. */
const SEE = `
export GIT_OPTIONAL_LOCKS=0
git status --porcelain=v1 -b -uall
git log --all --format='%H %T %s %D'
git log -g --format='%H %gs' HEAD
git stash list --format='%H %s'
git ls-files -s -v
git branch
git symbolic-ref -q HEAD || git rev-parse HEAD
git tag
git notes list
git config --local --list
for each in MERGE_HEAD MERGE_MSG CHERRY_PICK_HEAD REVERT_HEAD SQUASH_MSG rebase-merge rebase-apply sequencer BISECT_LOG info/sparse-checkout; do
  test ! -e .git/$each || echo $each
done
find . -mindepth 1 \\( -path ./.git -o -path ./.orchestration \\) -prune -o -printf '%p %y %m %l\\n' | sort
find . -mindepth 1 \\( -path ./.git -o -path ./.orchestration \\) -prune -o -type f -exec cksum {} + | sort
git fsck --connectivity-only 2>&1 | grep -v '^dangling\\|^notice' | sort
`

/** A session in a repository, and a plain copy of that repository. The same happens in both. */
export class Twin {
  #step = 0
  readonly log: string[] = []

  private constructor(
    private readonly fixture: Site,
    private readonly copy: ReturnType<typeof tempDir>,
    private readonly tmp: ReturnType<typeof tempDir>,
  ) {}

  static async open(): Promise<Twin> {
    const fixture = await site(FILES)
    initEmptyRepository(fixture.root)
    fs.appendFileSync(`${fixture.root}/.git/info/exclude`, '.orchestration/\n')
    git(fixture.root, 'add', '-A')
    git(fixture.root, 'commit', '-q', '-m', 'Start')
    const copy = tempDir()
    for (const name of fs.readdirSync(fixture.root))
      if (name !== '.orchestration')
        fs.cpSync(`${fixture.root}/${name}`, `${copy.path}/${name}`, { recursive: true, preserveTimestamps: true })
    return new Twin(fixture, copy, tempDir())
  }

  close(): void {
    this.copy.dispose()
    this.tmp.dispose()
  }

  async take(step: Step): Promise<void> {
    this.log.push(JSON.stringify(step))
    this.#step++
    if (step.by === 'command') await this.#run(step.script)
    else if (step.by === 'tool') this.#useTool(step.path, step.text)
    else await this.#letPerson(step)
    this.#compareTrees()
  }

  async #run(script: string): Promise<void> {
    const lines = `${this.#settings()}\n(${SEE})\n(${script}\n) 2>&1\necho "exit $?"\n${SEE}`
    const { root, session } = this.fixture
    const result = await session.exec(lines)
    const env = { PATH: process.env.PATH, TMPDIR: this.tmp.path }
    const expected = spawnSync('/bin/sh', ['-c', lines], { cwd: this.copy.path, env, encoding: 'utf8' })
    const neutral = (text: string) =>
      text
        .replaceAll(this.tmp.path, '/tmp')
        .replaceAll(this.copy.path, root)
        .replace(/\/tmp\/[^ ']*escrow[^ '/]*\/tmp/g, '/tmp')
    const [got = [], want = []] = [result.stdout, expected.stdout].map((text) => neutral(text).split('\n'))
    const only = (some: string[], others: string[]) => some.filter((each) => !others.includes(each))
    if (got.join() !== want.join())
      this.log.push(result.stderr, 'got:', ...only(got, want), 'expected:', ...only(want, got))
    expect(got, script).toEqual(want)
    expect(result.refused, script).toEqual([])
  }

  /** Equal times make equal ids. */
  #settings(): string {
    const date = `${1_700_000_000 + this.#step} +0000`
    return `export LC_ALL=C TERM=dumb HOME=/nonexistent GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null GIT_EDITOR=true
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@b.c GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@b.c
export GIT_AUTHOR_DATE='${date}' GIT_COMMITTER_DATE='${date}'; umask 022`
  }

  #useTool(path: string, text: string | undefined): void {
    for (const [node, root] of [
      [this.fixture.session.fs, this.fixture.root],
      [fs, this.copy.path],
    ] as const)
      try {
        if (text === undefined) node.unlinkSync(`${root}/${path}`)
        else node.writeFileSync(`${root}/${path}`, text)
      } catch {
        // The same call fails on both sides, or the trees differ.
      }
  }

  /** The files that a session shows are those of its stage, and the person's. */
  #compareTrees(): void {
    const { session, root } = this.fixture
    expect(readTree(session.fs, root, isLeftOut)).toEqual(readTree(fs, this.copy.path, isLeftOut))
  }

  async #letPerson(step: Exclude<Step, { by: 'command' | 'tool' }>): Promise<void> {
    const { root, session, workspace } = this.fixture
    if (step.by === 'landing') {
      const review = await workspace.review(session.id)
      await review.changes()
      try {
        await review.approve(undefined, { name: 'Ann', email: 'ann@example.org' })
        await review.commit({ git: { per: 'proposal' } })
      } catch (error) {
        this.log.push(`  refused: ${error}`)
      }
    } else if ('path' in step) {
      fs.rmSync(`${root}/${step.path}`, { recursive: true, force: true })
      fs.mkdirSync(dirname(`${root}/${step.path}`), { recursive: true })
      fs.writeFileSync(`${root}/${step.path}`, step.text)
    } else this.log.push(`  ${JSON.stringify(tryGit(root, ...step.args))}`)
    invalidateTick()
    this.#showFiles()
    await this.#showGit()
  }

  #headOnDisk(): string {
    return git(this.fixture.root, 'rev-parse', 'HEAD').trim()
  }

  /** Shows the files of the session in the copy: how the stage and the disk are merged is tested elsewhere. */
  #showFiles(): void {
    const { session, root } = this.fixture
    const [want, have] = [readTree(session.fs, root, isLeftOut), readTree(fs, this.copy.path, isLeftOut)]
    const at = (path: string) => `${this.copy.path}/${path}`
    const isDirectory = (state = '') => state.startsWith('dir ')
    for (const [path, state] of Object.entries(have).reverse())
      if (want[path] !== state && !(isDirectory(state) && isDirectory(want[path])))
        fs.rmSync(at(path), { recursive: true, force: true })
    for (const [path, state] of Object.entries(want)) {
      const [type, mode = '', ...rest] = state.split(' ')
      if (type === 'dir') fs.mkdirSync(at(path), { recursive: true })
      else if (fs.lstatSync(at(path), { throwIfNoEntry: false })) continue
      else if (type === 'link') fs.symlinkSync([mode, ...rest].join(' '), at(path))
      else fs.writeFileSync(at(path), rest.join(' '))
      if (type !== 'link') fs.chmodSync(at(path), Number.parseInt(mode, 8))
    }
  }

  /** What the person did to the repository, as far as the documentation says that the agent's git follows. */
  async #showGit(): Promise<void> {
    const { root, session } = this.fixture
    const { own, base: before } = readStoredGit(layoutAt(root).session(session.id).git)?.head ?? {}
    const head = this.#headOnDisk()
    const copy = this.copy.path
    this.log.push(`  ${head} own ${own} ${before === head ? 'same' : 'moved'}`)
    if (own === undefined || (!own && before !== head)) {
      fs.rmSync(`${copy}/.git`, { recursive: true })
      fs.cpSync(`${root}/.git`, `${copy}/.git`, { recursive: true, preserveTimestamps: true })
      return
    }
    git(copy, 'fetch', '-q', '--no-write-fetch-head', root, '+refs/heads/*:refs/of-person/*')
    for (const ref of git(copy, 'for-each-ref', '--format=%(refname)', 'refs/of-person').split('\n').filter(Boolean))
      git(copy, 'update-ref', '-d', ref)
    if (before !== head && treeAt(copy, 'HEAD') === treeAt(copy, head)) tryGit(copy, 'reset', '-q', '--soft', head)
    await this.#followOtherBranches()
  }

  /** Branches that the session has not changed are those of the disk, except the one that it is on. */
  async #followOtherBranches(): Promise<void> {
    const { root, session } = this.fixture
    const refs = (text: string) => text.split('\n').filter((line) => /refs\/heads\/(?:main|p)$/.test(line))
    const list = "for-each-ref --format='%(objectname) %(refname)' refs/heads"
    const onDisk = refs(git(root, 'for-each-ref', '--format=%(objectname) %(refname)', 'refs/heads'))
    const current = fs.readFileSync(`${this.copy.path}/.git/HEAD`, 'utf8').trim()
    for (const line of refs((await session.exec(`git ${list}`)).stdout)) {
      const [id = '', ref = ''] = line.split(' ')
      if (current !== `ref: ${ref}` && onDisk.includes(line)) git(this.copy.path, 'update-ref', ref, id)
    }
  }
}

/** Undefined before the first commit of a branch. */
function treeAt(root: string, commit: string): string | undefined {
  if (tryGit(root, 'rev-parse', '--verify', '-q', commit).status !== 0) return undefined
  return git(root, 'rev-parse', `${commit}^{tree}`)
}

function isLeftOut(path: string): boolean {
  return path === '.orchestration' || path === '.git' || path.endsWith('.log')
}
