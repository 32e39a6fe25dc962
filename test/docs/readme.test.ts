import fs from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HANDLE_OPS, type HandleRow } from '../../src/fs/handle-ops.js'
import { OPS, type Row } from '../../src/fs/ops.js'
import { project, readersHome, typeAll } from './reader.js'
import { blocksOf, says } from './readme-blocks.js'

const readme = fs.readFileSync(`${project}README.md`, 'utf8')
const blocks = blocksOf(readme)

let home = ''
beforeAll(() => {
  home = readersHome()
})
afterAll(() => fs.rmSync(home, { recursive: true, force: true }))

describe('the README', () => {
  it('does what it says, typed from top to bottom', () => {
    typeAll(blocks, home)
  })

  it('has no block that nothing tries', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js', 'sh', 'yaml'])
    const { scripts } = JSON.parse(fs.readFileSync(`${project}package.json`, 'utf8')) as {
      scripts: Record<string, string>
    }
    const lines = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text.trim())
    expect(lines).toEqual(['npm install ../escrowfs', 'npm ci && npm run demo', 'npm ci && npm test'])
    expect(scripts).toHaveProperty('demo')
    expect(scripts).toHaveProperty('test')
  })

  it('names every function of node:fs that is refused, and no other', () => {
    const rows = [...readme.matchAll(/^\| ([^|]+?) +\| (`.*) \|$/gm)].map(([, row = '', names = '']) => ({
      row,
      names,
    }))
    // Rows of other things than functions of node:fs are somebody's: a session's, a review's.
    const named = (isWanted: (row: string) => boolean) =>
      rows
        .flatMap(({ row, names }) => (isWanted(row) ? [...names.matchAll(/`(\w+)`/g)].map((match) => match[1]) : []))
        .sort()
    const refused = (table: Record<string, Row | HandleRow>) =>
      Object.keys(table).filter((name) => table[name]?.kind === 'refused' && !name.startsWith('_'))
    expect(named((row) => !row.endsWith("'s"))).toEqual(refused(OPS).sort())
    expect(named((row) => row === "a file handle's")).toEqual(refused(HANDLE_OPS).sort())
  })

  it("has the check run its test command word for word, and the demo's numbers right", () => {
    expect(fs.readFileSync(`${project}.ci/run`, 'utf8')).toContain('npm ci && npm test')
    const steps = fs
      .readdirSync(`${project}examples/transcripts`)
      .flatMap((name) => fs.readFileSync(`${project}examples/transcripts/${name}`, 'utf8').trimEnd().split('\n'))
      .map((line) => JSON.parse(line) as { tool?: string; expect?: { outcome?: string } })
      .filter(({ tool }) => tool !== undefined)
    const count = (outcome: string) => steps.filter((step) => step.expect?.outcome === outcome).length
    const text = readme.replace(/\s+/g, ' ')
    expect(text).toContain(`${steps.length} tool calls`)
    expect(text).toContain(
      `${count('ok')} calls are done, ${count('denied')} are refused with a reason, ${count('error')} fail by themselves`,
    )
  })
})

describe('what stands for any lines', () => {
  it('is only three dots on a line of their own', () => {
    expect(says('a\n...\nd\n', 'a\nb\nc\nd\n')).toBe(true)
    expect(says('a\n...\nd\n', 'a\nb\nc\n')).toBe(false)
    expect(says('a...\n', 'abcd\n')).toBe(false)
    expect(says('(1.)\n', '(1x)\n')).toBe(false)
  })
})
