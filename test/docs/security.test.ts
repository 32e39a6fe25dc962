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

const tried = rowsOf(read('docs/security.md'), 'Each threat')

describe('docs/security.md', () => {
  it("has each threat of SECURITY.md's, in its words", () => {
    expect(tried.map(([threat]) => threat)).toEqual(rowsOf(read('SECURITY.md'), 'Threats').map(([threat]) => threat))
    expect(tried.length).toBeGreaterThan(25)
  })

  it.each(tried)('%s is tried', (_threat, file = '', name = '') => {
    const test = read(file.replaceAll('`', ''))
    const names = [
      ...test.matchAll(/(?:\b(?:it|test|trick)(?:\.each\([\s\S]*?\))?\(\s*|name: )(['"`])((?:\\.|(?!\1).)*)\1/g),
    ]
    expect(names.map((match) => match[2])).toContain(name)
  })
})
