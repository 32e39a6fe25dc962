import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import * as hooks from '../../src/hooks/index.js'
import * as library from '../../src/index.js'
import { project, typeAll, useReader } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const guide = fs.readFileSync(`${project}docs/embedding.md`, 'utf8')
const blocks = blocksOf(guide)

const reader = useReader()

describe('docs/embedding.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, reader.home)
    expect(fs.readFileSync(`${reader.home}/shop/src/price.js`, 'utf8')).toContain('Math.round')
    expect(fs.existsSync(`${reader.home}/shop/migrations`)).toBe(false)
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js', 'yaml'])
  })

  it('names existing functions of the right entry', () => {
    for (const name of ['openWorkspace', 'denialOf', 'EscrowError', 'groupChanges'])
      expect(library).toHaveProperty(name)
    for (const name of [
      'runTool',
      'outcomeText',
      'intentPrompt',
      'openAiTools',
      'anthropicTools',
      'KNOWN_TOOLS',
      'toolCatalogue',
    ])
      expect(hooks).toHaveProperty(name)
  })

  it('lists each folder of the examples', () => {
    const folders = fs.readdirSync(`${project}examples`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    const without = ['demo', 'hub', 'shared', 'transcripts']
    for (const { name } of folders) if (!without.includes(name)) expect(guide).toContain(`examples/${name}/`)
  })
})
