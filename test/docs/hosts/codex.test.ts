import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project, typeAll, useReader } from '../reader.js'
import { blocksOf } from '../readme-blocks.js'

const blocks = blocksOf(fs.readFileSync(`${project}docs/hosts/codex.md`, 'utf8'))

const reader = useReader()

describe('docs/hosts/codex.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, reader.home)
    expect(fs.readFileSync(`${reader.home}/shop/src/a.js`, 'utf8')).toBe('one\n')
  })

  it('has no untested block, except those that start the client', () => {
    const shown = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
    expect(shown).toEqual(['escrow codex\n', expect.stringMatching(/^escrow run [^\n]* -- codex\n$/)])
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'sh', 'yaml'])
  })
})
