import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project, readersHome, typeAll } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const text = fs.readFileSync(`${project}docs/cookbook.md`, 'utf8')
const blocks = blocksOf(text)

let home = ''
beforeAll(() => {
  home = readersHome()
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

describe('docs/cookbook.md', () => {
  it('does what it says, typed from top to bottom', () => {
    typeAll(blocks, home)
    expect(fs.readFileSync(`${home}/shop/src/nightly.js`, 'utf8')).toBe('// by nightly;\n')
  })

  it('has no block that nothing tries', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js', 'text', 'yaml'])
  })

  it('tries each recipe by a command', () => {
    const recipes = text.split(/^## /m).slice(1)
    expect(recipes.length).toBeGreaterThanOrEqual(12)
    for (const recipe of recipes) expect(recipe).toMatch(/^```console$/m)
  })
})
