import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findGit, gitUser, userIn } from '../../src/os/git.js'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'escrow-git-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function put(files: Record<string, string>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true })
    writeFileSync(join(dir, name), text)
  }
}

const user = (name: string, email: string) => `[user]\n\tname = ${name}\n\temail = ${email}\n`
const ADA = user('Ada Lovelace', 'ada@example.org')
const BOB = user('Bob', 'bob@example.org')
const userAt = (at = 'repo') => gitUser(join(dir, at), { HOME: join(dir, 'home') })

describe('gitUser', () => {
  it("is the repository's, then the user's own, for each key separately", () => {
    put({ 'repo/.git/config': ADA, 'home/.gitconfig': BOB })
    expect(userAt()).toEqual({ name: 'Ada Lovelace', email: 'ada@example.org' })
    put({ 'repo/.git/config': '[user]\n\temail = work@example.org\n' })
    expect(userAt()).toEqual({ name: 'Bob', email: 'work@example.org' })
    put({ 'repo/.git/config': '[core]\n\tbare = false\n' })
    expect(userAt()).toEqual({ name: 'Bob', email: 'bob@example.org' })
  })

  it('is searched above the directory, through a worktree, and in the XDG directory', () => {
    put({ 'repo/.git/config': ADA, 'repo/a/b/x': '' })
    expect(userAt('repo/a/b').name).toBe('Ada Lovelace')
    put({ 'tree/.git': `gitdir: ${dir}/repo/.git/worktrees/t\n`, 'repo/.git/worktrees/t/commondir': '../..\n' })
    put({ 'repo/.git/worktrees/t/gitdir': `${dir}/tree/.git\n` })
    expect(userAt('tree').name).toBe('Ada Lovelace')
    put({ 'home/.config/git/config': BOB, 'bare/x': '', 'xdg/git/config': ADA })
    expect(userAt('bare').name).toBe('Bob')
    const env = { HOME: join(dir, 'home'), XDG_CONFIG_HOME: join(dir, 'xdg') }
    expect(gitUser(join(dir, 'bare'), env).name).toBe('Ada Lovelace')
  })

  it('follows includeIf as git does', () => {
    const work = '[user]\n\tname = Ada at work\n'
    put({
      'home/.gitconfig': `${BOB}[includeIf "gitdir:${dir}/work/"]\n\tpath = work.inc\n[include]\n\tpath = mail.inc\n`,
      'home/work.inc': work,
      'home/mail.inc': '[user]\n\temail = bob@home.example\n',
    })
    for (const name of ['work/one', 'repo']) {
      mkdirSync(join(dir, name), { recursive: true })
      spawnSync('git', ['init', '-q', join(dir, name)])
    }
    expect(userAt('work/one')).toEqual({ name: 'Ada at work', email: 'bob@home.example' })
    expect(userAt()).toEqual({ name: 'Bob', email: 'bob@home.example' })
  })

  it('ignores files of a workspace, whatever includes them', () => {
    put({
      'repo/.orchestration/x': '',
      'repo/forged.inc': '[user]\n\tname = Forged\n',
      'repo/.git/config': `[include]\n\tpath = ../forged.inc\n`,
      'home/.gitconfig': `${BOB}[include]\n\tpath = ${dir}/repo/forged.inc\n`,
    })
    expect(userAt().name).toBe('Bob')
  })

  it('is the user of the operating system if git has none', () => {
    put({ 'repo/x': '', 'home/.gitconfig': '[user]\n\tname =\n' })
    expect(userAt()).toEqual({ name: userInfo().username })
  })

  it('does not hang or fail on an unreadable file', () => {
    put({ 'home/.gitconfig': BOB })
    mkdirSync(join(dir, 'repo/.git/config'), { recursive: true })
    expect(userAt().name).toBe('Bob')
    rmSync(join(dir, 'home/.gitconfig'))
    symlinkSync('.gitconfig', join(dir, 'home/.gitconfig'))
    expect(userAt().name).toBe(userInfo().username)
    rmSync(join(dir, 'home/.gitconfig'))
    if (spawnSync('mkfifo', [join(dir, 'home/.gitconfig')]).status === 0) {
      expect(userAt().name).toBe(userInfo().username)
    }
  })
})

describe('findGit', () => {
  it('finds no repository if none is above', () => {
    expect(findGit(dir)).toBeUndefined()
    put({ '.git': 'nothing of the kind\n' })
    expect(findGit(dir)).toBeUndefined()
  })
})

describe('userIn', () => {
  it.each<[string, string, string | undefined]>([
    ['a quoted value keeps its blanks', '[user]\nname = " A  B "', ' A  B '],
    ['a comment ends a value', '[user]\nname = A B  # not C', 'A B'],
    ['a comment sign in quotes does not', '[user]\nname = "A; B" ; C', 'A; B'],
    ['escapes', `[user]\n${String.raw`name = A \"B\" \\ C`}`, 'A "B" \\ C'],
    ['a continued line', '[user]\nname = A\\\nB', 'AB'],
    ['a backslash that ends a line as itself', '[user]\nname = A\\\\\nemail = e', 'A\\'],
    ['the last one counts', '[user]\nname = A\nname = B', 'B'],
    ['case does not matter', '[USER]\nName = A', 'A'],
    ['on the line of its header', '[user] name = A', 'A'],
    ['Windows line ends', '[user]\r\nname = A\r\n', 'A'],
    ['a subsection is another section', '[user "work"]\nname = A', undefined],
    ['any other section is another section', '[user]\n[author]\nname = A', undefined],
    ['a comment is not an entry', '[user]\n# name = A', undefined],
    ['a key without a value is not an entry', '[user]\nname', undefined],
  ])('%s', (_what, text, name) => {
    expect(userIn(text).name).toBe(name)
  })

  it('parses any name that git would write, and returns one line for any file', () => {
    const quote = (name: string) => `"${name.replace(/[\\"]/g, '\\$&')}"`
    const printable = fc.string({ unit: 'grapheme' }).filter((text) => !/[\r\n\u2028\u2029]/.test(text))
    fc.assert(
      fc.property(printable, (name) => {
        expect(userIn(`[user]\nname = ${quote(name)}\n`).name).toBe(name)
      }),
    )
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(userIn(`[user]\nname=${text}`).name ?? '').not.toMatch(/\n/)
      }),
    )
  })
})
