import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project, typeAll, useReader } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const text = fs.readFileSync(`${project}docs/release.md`, 'utf8')
const blocks = blocksOf(text)

const reader = useReader()

describe('docs/release.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, reader.home)
    expect(fs.readFileSync(`${reader.home}/shop/src/price.js`, 'utf8')).toContain('vat')
    expect(fs.readFileSync(`${reader.home}/shop/package.json`, 'utf8')).toBe('{}\n')
  })

  it('has each key of a tier in the table', () => {
    const keys = ['name', 'paths', 'classes', 'max_files', 'max_lines', 'requires', 'hold']
    for (const key of keys) expect(text).toMatch(new RegExp(`^\\| \`${key}\` `, 'm'))
  })
})
