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

/** Each half starts about eighty processes, each of which can take seconds on a busy machine. */
const PATIENCE_MS = 600_000

describe('docs/cookbook.md', () => {
  const rules = text.split('\n').indexOf('## A project for the rules below')

  it(
    'has everyday recipes that work as written',
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
    'has rules that work as written',
    () => {
      typeAll(
        blocks.filter(({ line }) => line > rules),
        home,
      )
      expect(fs.readFileSync(`${home}/shop/src/nightly.js`, 'utf8')).toBe('// by nightly;\n')
    },
    PATIENCE_MS,
  )

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js', 'text', 'yaml'])
  })

  it('has a command in each recipe', () => {
    const recipes = text.split(/^## /m).slice(1)
    expect(recipes.length).toBeGreaterThanOrEqual(20)
    for (const recipe of recipes) expect(recipe).toMatch(/^```console$/m)
  })
})
