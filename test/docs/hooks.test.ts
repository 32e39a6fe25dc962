import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project, typeAll, useReader } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const blocks = blocksOf(fs.readFileSync(`${project}docs/hooks.md`, 'utf8'))

const reader = useReader()

describe('docs/hooks.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, reader.home)
    expect(fs.readFileSync(`${reader.home}/shop/src/a.js`, 'utf8')).toBe('one\n')
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js'])
  })
})
