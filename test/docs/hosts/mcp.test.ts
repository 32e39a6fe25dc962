import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TOOLS } from '../../../src/agents/mcp/tools.js'
import { project, readersHome, typeAll } from '../reader.js'
import { blocksOf } from '../readme-blocks.js'

const guide = fs.readFileSync(`${project}docs/hosts/mcp.md`, 'utf8')
const blocks = blocksOf(guide)

let home = ''
beforeAll(() => {
  home = readersHome()
  fs.symlinkSync(`${project}node_modules/@modelcontextprotocol`, `${home}/node_modules/@modelcontextprotocol`)
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

describe('docs/hosts/mcp.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, home)
    expect(fs.readFileSync(`${home}/shop/src/a.js`, 'utf8')).toBe('two\n')
    expect(fs.existsSync(`${home}/shop/package.json`)).toBe(false)
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js', 'json'])
  })

  it('names every tool', () => {
    expect(TOOLS.map(({ name }) => name).filter((name) => !guide.includes(`\`${name}\``))).toEqual([])
  })
})
