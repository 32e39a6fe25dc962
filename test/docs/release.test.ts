import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project, readersHome, typeAll } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const text = fs.readFileSync(`${project}docs/release.md`, 'utf8')
const blocks = blocksOf(text)

let home = ''
beforeAll(() => {
  home = readersHome()
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

describe('docs/release.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, home)
    expect(fs.readFileSync(`${home}/shop/src/price.js`, 'utf8')).toContain('vat')
    expect(fs.readFileSync(`${home}/shop/package.json`, 'utf8')).toBe('{}\n')
  })

  it('has each key of a tier in the table', () => {
    const keys = ['name', 'paths', 'classes', 'max_files', 'max_lines', 'requires', 'hold']
    for (const key of keys) expect(text).toMatch(new RegExp(`^\\| \`${key}\` `, 'm'))
  })
})
