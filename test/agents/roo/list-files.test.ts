import { symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { inTemporaryDirectory, put, run } from './fake-session.js'

const place = inTemporaryDirectory()

describe('list_files', () => {
  it('lists one level, directories with a slash, in numeric order', async () => {
    put('file10.ts', '')
    put('file2.ts', '')
    put('src/a.ts', '')
    const { content } = await run('list_files', { path: '.', recursive: false })
    expect(content.split('\n')).toEqual(['file2.ts', 'file10.ts', 'src/'])
  })

  it('lists all levels, but does not enter dependencies or hidden directories', async () => {
    put('src/deep/a.ts', '')
    put('node_modules/x/index.js', '')
    put('.git/config', '')
    const { content } = await run('list_files', { path: '.', recursive: 'true' })
    expect(content.split('\n')).toEqual(['.git/', 'node_modules/', 'src/', 'src/deep/', 'src/deep/a.ts'])
  })

  it('ends if a symlink leads upwards', async () => {
    put('src/a.ts', '')
    symlinkSync(place.root, 'src/loop')
    const { content } = await run('list_files', { path: 'src', recursive: true })
    expect(content.split('\n')).toEqual(['a.ts', 'loop'])
  })

  it('stops at 200 and reports it', async () => {
    for (let index = 0; index < 201; index++) put(`many/${index}.ts`, '')
    const { content } = await run('list_files', { path: 'many' })
    expect(content.split('\n').filter((line) => line.endsWith('.ts'))).toHaveLength(200)
    expect(content).toContain('Only the first 200')
    put('few/a.ts', '')
    expect((await run('list_files', { path: 'few' })).content).toBe('a.ts')
  })

  it('reports an empty directory, and fails for a missing one', async () => {
    expect((await run('list_files', { path: '.' })).content).toBe('No files found.')
    expect((await run('list_files', { path: 'no' })).isError).toBe(true)
  })
})
