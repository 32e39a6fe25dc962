import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project, readersHome, typeAll } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const blocks = blocksOf(fs.readFileSync(`${project}docs/hooks.md`, 'utf8'))

let home = ''
beforeAll(() => {
  home = readersHome()
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

describe('docs/hooks.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, home)
    expect(fs.readFileSync(`${home}/shop/src/a.js`, 'utf8')).toBe('one\n')
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js'])
  })
})
