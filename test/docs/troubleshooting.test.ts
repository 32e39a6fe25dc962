import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DENIAL_CODES } from '../../src/core/denials.js'
import { project, typeAll, useReader } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const text = fs.readFileSync(`${project}docs/troubleshooting.md`, 'utf8')
const blocks = blocksOf(text)
const section = (heading: string) => text.split(/^## /m).find((each) => each.startsWith(heading)) ?? ''
/** The cells of a section's rows whose first cell is code. */
const rowsOf = (heading: string) =>
  [...section(heading).matchAll(/^\| `[^|]*\|.*$/gm)].map(([row]) =>
    row.split('|').map((cell) => cell.trim().replaceAll('`', '')),
  )

const sources = ['src', 'overlay'].flatMap((folder) =>
  fs
    .readdirSync(`${project}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => fs.readFileSync(`${project}${folder}/${name}`, 'utf8')),
)
/** The reasons of the type that are not reasons of denials. */
const apiReasons = () => {
  const file = fs.readFileSync(`${project}src/core/api-error.ts`, 'utf8')
  const type = /type ApiReason =([\s\S]*?)\n\n/.exec(file)?.[1] ?? ''
  return [...type.matchAll(/'(\w+)'/g)].map((match) => match[1] ?? '')
}

const reader = useReader()

describe('docs/troubleshooting.md', () => {
  it('works as written, typed from top to bottom', () => {
    typeAll(blocks, reader.home)
  })

  it('has no untested block', () => {
    expect([...new Set(blocks.map(({ language }) => language))].sort()).toEqual(['console', 'js', 'yaml'])
  })

  it('has a row for exactly the existing reasons, with their codes', () => {
    const codes: Record<string, string> = DENIAL_CODES
    const expected = [...Object.keys(codes), ...apiReasons()].map((reason) => [reason, codes[reason] ?? '–'])
    expect(apiReasons().length).toBeGreaterThan(5)
    expect(rowsOf('Reasons').map(([, reason, code]) => [reason, code])).toEqual(expected)
  })

  it('starts messages as the code does', () => {
    const begins = [...rowsOf('Reasons').map((row) => row[3] ?? ''), ...rowsOf('More').map((row) => row[1] ?? '')]
    const isSaid = (message: string) => sources.some((source) => new RegExp(`['"\`]${message}`).test(source))
    const literal = (message: string) => message.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    // This message starts with a file name.
    expect(begins.filter((message) => !isSaid(literal(message)))).toEqual(['.orchestration/agent_trace.jsonl'])
  })

  it('lists every refusal with a name of two words', () => {
    const named = sources.flatMap((source) => [...source.matchAll(/['"`]((?:[A-Z][a-z]+ )+[A-Z][a-z]+: )/g)])
    const kinds = new Set(named.map((match) => (match[1] ?? '').trim()))
    const others = ['Claude Code:', 'Roo Code:']
    expect([...kinds].filter((kind) => !others.includes(kind) && !text.includes(`\`${kind}\``))).toEqual([])
  })

  it("has the doctor's findings in their order", () => {
    const probe = fs.readFileSync(`${project}src/terminal/probe.ts`, 'utf8')
    const names = /readonly name: (.*)/
      .exec(probe)?.[1]
      ?.split(' | ')
      .map((name) => name.replaceAll("'", ''))
    expect(rowsOf('What `escrow doctor`').map((row) => row[1])).toEqual(names)
    for (const command of ['modprobe overlay', 'apt-get install bubblewrap', 'kernel.unprivileged_userns_clone=1'])
      expect([command, probe.includes(command), text.includes(command)]).toEqual([command, true, true])
  })
})
