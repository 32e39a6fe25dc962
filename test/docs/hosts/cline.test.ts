import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project, readersHome, typeAll } from '../reader.js'
import { blocksOf } from '../readme-blocks.js'

const blocks = blocksOf(fs.readFileSync(`${project}docs/hosts/cline.md`, 'utf8'))

let home = ''
beforeAll(() => {
  home = readersHome()
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

describe('docs/hosts/cline.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, home)
    expect(fs.readFileSync(`${home}/shop/src/a.js`, 'utf8')).toBe('one\n')
  })

  it('has no untested block, except those that start the client', () => {
    const shown = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text)
    expect(shown).toEqual(['escrow cline\n', expect.stringMatching(/^escrow run [^\n]* -- cline\n$/)])
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'sh', 'yaml'])
  })
})
