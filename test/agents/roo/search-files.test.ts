import { describe, expect, it } from 'vitest'
import { inTemporaryDirectory, put, run } from './fake-session.js'

inTemporaryDirectory()

describe('search_files', () => {
  it('shows matches by file with a line of context, and joins adjacent ones', async () => {
    put('src/a.ts', 'zero\none TODO\ntwo\nthree TODO\nfour\nfive\nsix\nseven\neight TODO\n')
    put('src/b.ts', 'nothing\n')
    const { content } = await run('search_files', { path: './src/', regex: 'TODO' })
    expect(content).toBe(
      'Found 3 results.\n\n# src/a.ts\n  1 | zero\n  2 | one TODO\n  3 | two\n  4 | three TODO\n  5 | four\n----\n  8 | seven\n  9 | eight TODO\n----',
    )
  })

  it.each([
    ['*.ts', ['a.ts', 'src/deep/b.ts']],
    ['src/**/*.ts', ['src/deep/b.ts']],
    ['*.{md,ts}', ['a.ts', 'c.md', 'src/deep/b.ts']],
    [null, ['a.ts', 'c.md', 'src/deep/b.ts']],
  ])('file_pattern %s', async (file_pattern, files) => {
    for (const file of ['a.ts', 'src/deep/b.ts', 'c.md']) put(file, 'needle\n')
    const { content } = await run('search_files', { path: '.', regex: 'needle', file_pattern })
    expect([...content.matchAll(/^# (.*)$/gm)].map((match) => match[1])).toEqual(files)
  })

  it('searches one file, ignores case on request, and skips binary files', async () => {
    put('a.ts', 'NEEDLE\n')
    put('b.bin', 'needle\0')
    expect((await run('search_files', { path: 'a.ts', regex: '(?i)needle' })).content).toContain('# a.ts')
    expect((await run('search_files', { path: '.', regex: 'needle' })).content).toBe('Found 0 results.')
  })

  it('stops at 300 results', async () => {
    put('a.ts', Array.from({ length: 1000 }, (_, index) => (index % 3 === 0 ? 'needle' : '')).join('\n'))
    const { content } = await run('search_files', { path: '.', regex: 'needle$' })
    expect(content).toContain('Only the first 300 results')
    expect(content.split('needle').length - 1).toBe(300)
  })

  it.each([
    ['a regex that backtracks without end', { regex: '(a+)+b' }],
    ['a glob that backtracks without end', { regex: 'a', file_pattern: `${'*a'.repeat(30)}b` }],
  ])('%s is stopped', async (_what, args) => {
    put('a'.repeat(200), `${'a'.repeat(5000)}\n`)
    const { content, isError } = await run('search_files', { path: '.', ...args })
    expect(isError).toBe(true)
    expect(content).toContain('simpler pattern')
  })

  it.each([
    ['a broken regex', { regex: '(' }],
    ['an endless regex', { regex: 'a'.repeat(1001) }],
    ['a missing directory', { path: 'no', regex: 'a' }],
  ])('%s is an error', async (_what, args) => {
    expect((await run('search_files', { path: '.', ...args })).isError).toBe(true)
  })
})
