import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project, readersHome, typeAll } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const text = fs.readFileSync(`${project}docs/cookbook.md`, 'utf8')
const blocks = blocksOf(text)

let home = ''
beforeAll(() => {
  home = readersHome()
  fs.cpSync(`${project}examples/ci-check`, `${home}/escrowfs/examples/ci-check`, { recursive: true })
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

/** Each half starts some eighty processes, and a busy machine takes seconds for one. */
const PATIENCE_MS = 600_000

describe('docs/cookbook.md', () => {
  const rules = text.split('\n').indexOf('## A project for the rules below')

  it(
    'does what its everyday recipes say, typed from top to bottom',
    () => {
      expect(rules).toBeGreaterThan(0)
      typeAll(
        blocks.filter(({ line }) => line <= rules),
        home,
      )
    },
    PATIENCE_MS,
  )

  it(
    'does what its rules say, typed from top to bottom',
    () => {
      typeAll(
        blocks.filter(({ line }) => line > rules),
        home,
      )
      expect(fs.readFileSync(`${home}/shop/src/nightly.js`, 'utf8')).toBe('// by nightly;\n')
    },
    PATIENCE_MS,
  )

  it('has no block that nothing tries', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js', 'text', 'yaml'])
  })

  it('tries each recipe by a command', () => {
    const recipes = text.split(/^## /m).slice(1)
    expect(recipes.length).toBeGreaterThanOrEqual(20)
    for (const recipe of recipes) expect(recipe).toMatch(/^```console$/m)
  })
})
