import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { project, readersHome, typeAll } from '../reader.js'
import { blocksOf } from '../readme-blocks.js'

const guide = fs.readFileSync(`${project}docs/hosts/roo.md`, 'utf8')
const blocks = blocksOf(guide)

let home = ''
beforeAll(() => {
  home = readersHome()
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

describe('docs/hosts/roo.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, home)
    expect(fs.readFileSync(`${home}/shop/src/a.js`, 'utf8')).toBe('three\n')
    expect(fs.existsSync(`${home}/shop/src/b.js`)).toBe(false)
    expect(fs.existsSync(`${home}/shop/.roo/tools/escrowfs.js`)).toBe(true)
    expect(fs.existsSync(`${home}/b.js`)).toBe(false)
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js'])
  })
})
