import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project, typeAll, useReader } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const blocks = blocksOf(fs.readFileSync(`${project}docs/terminal.md`, 'utf8'))

const reader = useReader()

describe('docs/terminal.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, reader.home)
    expect(fs.existsSync(`${reader.home}/shop/src/out.js`)).toBe(false)
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js'])
  })
})
