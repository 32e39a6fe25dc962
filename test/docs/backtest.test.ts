import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project, typeAll, useReader } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const text = fs.readFileSync(`${project}docs/backtest.md`, 'utf8')
const blocks = blocksOf(text)

const reader = useReader()

describe('docs/backtest.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, reader.home)
    expect(fs.existsSync(`${reader.home}/.orchestration`)).toBe(false)
  })
})
