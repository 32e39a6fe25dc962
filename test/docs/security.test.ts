import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { project } from './reader.js'

const read = (name: string) => fs.readFileSync(`${project}${name}`, 'utf8')
/** The cells of the rows of a section. */
const rowsOf = (text: string, heading: string) =>
  (text.split(/^## /m).find((each) => each.startsWith(heading)) ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| |\|$/g, '').trim()))

const tried = rowsOf(read('docs/security.md'), 'Threats')
const at = (row: readonly string[], column: number) => row[column] ?? ''

describe('docs/security.md', () => {
  it('lists for each threat the defence, its place, and the remaining risk', () => {
    expect(tried.length).toBeGreaterThan(35)
    for (const row of tried) expect([row.length, row.filter((cell) => cell === '')]).toEqual([6, []])
  })

  it.each(tried)('%s is tested', (...row) => {
    const [file, name] = [at(row, 4), at(row, 5).replaceAll('`', '')]
    const test = read(file.replaceAll('`', ''))
    const names = [
      ...test.matchAll(/(?:\b(?:it|test|newTrick)(?:\.each\([\s\S]*?\))?\(\s*|name: )(['"`])((?:\\.|(?!\1).)*)\1/g),
    ]
    expect(names.map((match) => match[2])).toContain(name)
  })
})
