import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project, readersHome, typeAll } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const guide = fs.readFileSync(`${project}docs/injected-fs.md`, 'utf8')
const blocks = blocksOf(guide)

let home = ''
beforeAll(() => {
  home = readersHome()
  // The guide's bundler, which vitest installs.
  fs.symlinkSync(`${project}node_modules/vite`, `${home}/node_modules/vite`)
  fs.symlinkSync(`../vite/bin/vite.js`, `${home}/node_modules/.bin/vite`)
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

describe('docs/injected-fs.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, home)
    expect(fs.existsSync(`${home}/agent/notes`)).toBe(false)
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js'])
  })
})
