import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project, typeAll, useReader } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const text = fs.readFileSync(`${project}docs/concepts.md`, 'utf8')
const blocks = blocksOf(text).filter(({ language }) => language !== 'mermaid')

const reader = useReader()

describe('docs/concepts.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, reader.home)
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js'])
  })

  it('explains every term', () => {
    const normalized = text.replace(/\s+/g, ' ').toLowerCase()
    const words = [
      'workspace',
      'session',
      'overlay',
      'intent',
      'scope',
      'claim',
      'lock',
      'decision',
      'verdict',
      'commit',
    ]
    const headings = [...text.matchAll(/^## (.+)$/gm)].map((match) => match[1]?.toLowerCase()).join(' ')
    expect([...words, 'ledger'].filter((word) => !headings.includes(word))).toEqual([])
    const bold = ['lower layer', 'upper layer', 'stage', 'snapshot', 'denial', 'changed on disk']
    expect(bold.filter((word) => !normalized.includes(`**${word}**`))).toEqual([])
  })
})
