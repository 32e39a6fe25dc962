import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { startSession, type TestWorkspace, testWorkspace } from '../../support/workspace.js'
import { type Args, type Call, callerOf, clientOn, filesystemServer, textOf } from './fixture.js'

/** Compares each tool of the official filesystem server with ours, on the same tree. */

interface Both {
  readonly project: TestWorkspace
  readonly ours: Call
  readonly theirs: Call
  /** Sends the same call to both: to ours first, because theirs changes the disk. */
  same(name: string, args?: Args): Promise<string>
}

const LINES = Array.from({ length: 400 }, (_, i) => `line ${i} é`).join('\n')

async function both(): Promise<Both> {
  const project = testWorkspace({
    'src/a.ts': 'one\n  two\nthree\n',
    'src/crlf.txt': 'one\r\ntwo\r\nthree\r\n',
    'src/long.txt': `${LINES}\n`,
    'src/empty.txt': '',
    'src/deep/er/b.ts': 'b\n',
    'src/deep/c.md': '```\ncode\n```\n',
    'src/deep/.hidden': 'h\n',
    'src/big.bin': 'x'.repeat(3_000),
    'src/Zed.txt': 'z\n',
  })
  writeFileSync(`${project.root}/src/pixel.png`, Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]))
  writeFileSync(`${project.root}/src/sound.mp3`, Buffer.from([1, 2, 3]))
  symlinkSync('a.ts', `${project.root}/src/link.ts`)
  mkdirSync(`${project.root}/src/none`)
  const ours = callerOf(await clientOn(await startSession(await project.open())))
  const theirs = callerOf(await filesystemServer(project.root))
  const same = async (name: string, args: Args = {}) => {
    const mine = await ours(name, args)
    expect(mine).toEqual(await theirs(name, args))
    expect(mine.isError).toBeUndefined()
    return textOf(mine)
  }
  return { project, ours, theirs, same }
}

describe('compared with the official filesystem server', () => {
  it('reading returns the same', async () => {
    const { project, same } = await both()
    for (const path of ['src/a.ts', 'src/empty.txt', 'src/crlf.txt', 'src/long.txt', `${project.root}/src/link.ts`])
      for (const part of [{}, { head: 1 }, { head: 2 }, { head: 1000 }, { tail: 1 }, { tail: 3 }, { tail: 1000 }])
        for (const tool of ['read_text_file', 'read_file']) await same(tool, { path, ...part })
    for (const path of ['src/pixel.png', 'src/sound.mp3', 'src/big.bin']) await same('read_media_file', { path })
    await same('read_multiple_files', { paths: ['src/a.ts', `${project.root}/src/Zed.txt`, 'src/empty.txt'] })
  })

  it('listing, searching and stat return the same', async () => {
    const { project, same } = await both()
    for (const path of ['src', 'src/deep', 'src/none', `${project.root}/src/`]) {
      await same('list_directory', { path })
      await same('list_directory_with_sizes', { path })
      await same('list_directory_with_sizes', { path, sortBy: 'size' })
    }
    // Theirs compares exclusions with the given path, so only an absolute one is comparable.
    const path = `${project.root}/src`
    for (const excludePatterns of [[], ['*.txt'], ['deep'], ['b.ts', '**/er'], ['deep/**']]) {
      await same('directory_tree', { path, excludePatterns })
      for (const pattern of ['*', '**', '**/*.ts', '*.{ts,txt}', 'deep/*', '[a-c]*', 'nothing', '!(a)*'])
        await same('search_files', { path, pattern, excludePatterns })
    }
    await same('list_allowed_directories')
    const fileInfo = async (call: Call) =>
      textOf(await call('get_file_info', { path: 'src/big.bin' })).replace(/accessed.*/, '')
    const { ours, theirs } = await both()
    expect((await fileInfo(ours)).split('\n').map((line) => line.split(':')[0])).toEqual(
      (await fileInfo(theirs)).split('\n').map((line) => line.split(':')[0]),
    )
  })

  it('file information is the same', async () => {
    const { ours, theirs } = await both()
    for (const path of ['src/big.bin', 'src/deep']) {
      const fileInfo = async (call: Call) => textOf(await call('get_file_info', { path })).replace(/accessed.*/, '')
      expect(await fileInfo(ours)).toBe(await fileInfo(theirs))
    }
  })

  it('writing returns the same and produces the same files; ours are staged', async () => {
    const { project, ours, theirs, same } = await both()
    chmodSync(`${project.root}/src/a.ts`, 0o755)
    const edits = [
      { oldText: 'two', newText: 'TWO\n  more' },
      { oldText: 'one\nTWO', newText: 'ONE\nTwo' },
    ]
    await same('edit_file', { path: 'src/a.ts', edits, dryRun: true })
    expect(project.text('src/a.ts')).toBe('one\n  two\nthree\n')
    await same('edit_file', { path: 'src/a.ts', edits })
    await same('edit_file', { path: 'src/deep/c.md', edits: [{ oldText: 'code', newText: '````' }] })
    await same('write_file', { path: 'src/new.ts', content: 'new é\r\n' })
    await same('write_file', { path: `${project.root}/src/Zed.txt`, content: '' })
    await same('create_directory', { path: 'src/x/y/z' })
    await same('create_directory', { path: 'src/deep' })
    await same('move_file', { source: 'src/new.ts', destination: 'src/x/moved.ts' })
    for (const path of ['src', 'src/deep', 'src/x', 'src/x/y']) await same('list_directory_with_sizes', { path })
    for (const path of ['src/a.ts', 'src/deep/c.md', 'src/x/moved.ts', 'src/Zed.txt'])
      await same('read_text_file', { path })
    const move = { source: 'src/deep/er', destination: 'src/x/er' }
    const moved = await ours('move_file', move)
    expect(textOf(await ours('read_text_file', { path: 'src/x/er/b.ts' }))).toBe('b\n')
    expect(moved).toEqual(await theirs('move_file', move))
    for (const call of [ours, theirs])
      expect(textOf(await call('get_file_info', { path: 'src/a.ts' }))).toContain('permissions: 755')
    expect(statSync(`${project.root}/src/a.ts`).mode & 0o777).toBe(0o755)
  })

  it('both fail if there is nothing to do', async () => {
    const { ours, theirs } = await both()
    const failing: [string, Args][] = [
      ['read_text_file', { path: 'src/absent' }],
      ['read_text_file', { path: 'src' }],
      ['read_text_file', { path: 'src/a.ts', head: 1, tail: 1 }],
      ['read_text_file', { path: '/etc/passwd' }],
      ['read_text_file', {}],
      ['read_multiple_files', { paths: [] }],
      ['edit_file', { path: 'src/a.ts', edits: [{ oldText: 'absent', newText: '' }] }],
      ['edit_file', { path: 'src/absent', edits: [] }],
      ['write_file', { path: 'src/a.ts' }],
      ['write_file', { path: 7, content: '' }],
      ['write_file', { path: '/etc/escrow-test', content: '' }],
      ['list_directory', { path: 'src/absent' }],
      ['move_file', { source: 'src/a.ts', destination: 'src/Zed.txt' }],
      ['move_file', { source: 'src/absent', destination: 'src/other' }],
    ]
    for (const [name, args] of failing)
      for (const call of [ours, theirs])
        expect([name, args, (await call(name, args)).isError]).toEqual([name, args, true])
  })

  it('only ours keeps the line ends that an edit does not touch', async () => {
    const { project, ours } = await both()
    const edits = [{ oldText: 'two', newText: '2\nand' }]
    await ours('edit_file', { path: 'src/crlf.txt', edits })
    expect((await ours('read_text_file', { path: 'src/crlf.txt' })).structuredContent).toEqual({
      content: 'one\r\n2\r\nand\r\nthree\r\n',
    })
    expect(readFileSync(`${project.root}/src/crlf.txt`, 'utf8')).toBe('one\r\ntwo\r\nthree\r\n')
  })

  it('ours has all of its tools, with their arguments and output schemas', async () => {
    const project = testWorkspace()
    const [ours, theirs] = [
      await clientOn(await startSession(await project.open())),
      await filesystemServer(project.root),
    ]
    const mine = new Map((await ours.listTools()).tools.map((tool) => [tool.name, tool]))
    const { tools } = await theirs.listTools()
    expect(tools.length).toBeGreaterThan(13)
    for (const { name, inputSchema, outputSchema } of tools) {
      const tool = mine.get(name)
      // Only the dialect differs: ours has the protocol's default.
      const { $schema: _, ...plain } = { ...outputSchema }
      expect(tool?.outputSchema, name).toMatchObject(plain)
      expect(tool?.inputSchema.required ?? [], name).toEqual(inputSchema.required ?? [])
      expect(Object.keys(tool?.inputSchema.properties ?? {}), name).toEqual(
        expect.arrayContaining(Object.keys(inputSchema.properties ?? {})),
      )
    }
  })
})
