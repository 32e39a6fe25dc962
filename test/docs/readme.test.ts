import fs from 'node:fs'
import { describe, expect, it, onTestFinished } from 'vitest'
import { project, readersHome, typeAll, useReader } from './reader.js'
import { blocksOf, matchesOutput } from './readme-blocks.js'

const readme = fs.readFileSync(`${project}README.md`, 'utf8')
const blocks = blocksOf(readme)

const reader = useReader()

describe('the README', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, reader.home)
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['bash', 'console', 'js', 'sh', 'yaml'])
    const { scripts } = JSON.parse(fs.readFileSync(`${project}package.json`, 'utf8')) as {
      scripts: Record<string, string>
    }
    const lines = blocks.filter(({ language }) => language === 'sh').map(({ text }) => text.trim())
    expect(lines).toEqual(['npm i -D escrowfs', "npx escrowfs claude 'Show prices with tax'", 'npm ci && npm run demo'])
    expect(scripts).toHaveProperty('demo')
    expect(scripts).toHaveProperty('test')
  })

  it('is at most 200 lines of at most 160 characters', () => {
    const lines = readme.trimEnd().split('\n')
    expect(lines.length).toBeLessThanOrEqual(200)
    expect(lines.filter((line) => line.length > 160)).toEqual([])
  })

  it("has the test command that the check runs, and the demo's numbers", () => {
    expect(readme).toContain('`npm ci && npm test`')
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
      `${count('ok')} succeed, ${count('denied')} are refused with a reason, ${count('error')} fail`,
    )
  })
})

describe('the quick start', () => {
  it('works as written, typed from top to bottom', () => {
    const reader = readersHome()
    onTestFinished(() => fs.rmSync(reader, { recursive: true, force: true }))
    typeAll(blocksOf(fs.readFileSync(`${project}docs/quick-start.md`, 'utf8')), reader)
  })
})

describe('a placeholder for any lines', () => {
  it('is only three dots on a separate line', () => {
    expect(matchesOutput('a\n...\nd\n', 'a\nb\nc\nd\n')).toBe(true)
    expect(matchesOutput('a\n...\nd\n', 'a\nb\nc\n')).toBe(false)
    expect(matchesOutput('a...\n', 'abcd\n')).toBe(false)
    expect(matchesOutput('(1.)\n', '(1x)\n')).toBe(false)
  })
})
