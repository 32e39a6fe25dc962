import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project, typeAll, useReader } from '../reader.js'
import { blocksOf } from '../readme-blocks.js'

const guide = fs.readFileSync(`${project}docs/hosts/roo.md`, 'utf8')
const blocks = blocksOf(guide)

const reader = useReader()

describe('docs/hosts/roo.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, reader.home)
    expect(fs.readFileSync(`${reader.home}/shop/src/a.js`, 'utf8')).toBe('three\n')
    expect(fs.existsSync(`${reader.home}/shop/src/b.js`)).toBe(false)
    expect(fs.existsSync(`${reader.home}/shop/.roo/tools/escrowfs.js`)).toBe(true)
    expect(fs.existsSync(`${reader.home}/b.js`)).toBe(false)
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js'])
  })
})
