import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project, typeAll, useReader } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const blocks = blocksOf(fs.readFileSync(`${project}docs/shell.md`, 'utf8'))

const reader = useReader()

describe('docs/shell.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, reader.home)
    expect(fs.existsSync(`${reader.home}/shop/README.md`)).toBe(false)
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))]).toEqual(['console'])
  })
})
