import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DEFAULT_REQUIRED, firstToFix, PROTECTIONS } from '../../src/core/protection.js'
import { CONTAINMENTS } from '../../src/terminal/containments.js'
import { project } from '../docs/reader.js'

const page = readFileSync(`${project}docs/terminal.md`, 'utf8')

/** The cells of the table with a heading. */
function rowsOf(heading: string): string[][] {
  const after = page.slice(page.indexOf(`| ${heading} `)).split('\n')
  const rows = after.slice(
    0,
    after.findIndex((line) => !line.startsWith('|')),
  )
  return rows.map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  )
}

describe('docs/terminal.md', () => {
  it('lists the providers in order', () => {
    const [, , ...rows] = rowsOf('provider')
    expect(rows.map(([name, title]) => [name, title])).toEqual(CONTAINMENTS.map(({ name, title }) => [name, title]))
  })

  it('says what each protection means, which are required, and who keeps them', () => {
    const [, , ...rows] = rowsOf('protection')
    const yesOrEmpty = (isSo: boolean) => (isSo ? 'yes' : '')
    expect(rows).toEqual(
      Object.entries(PROTECTIONS).map(([name, meaning]) => [
        name,
        meaning,
        yesOrEmpty(DEFAULT_REQUIRED.some((each) => each === name)),
        ...CONTAINMENTS.map(({ keeps }) => yesOrEmpty(keeps.some((each) => each === name))),
      ]),
    )
  })
})

describe('the failure that is reported', () => {
  it('is one that only needs an installation, rather than one that needs settings of the system', () => {
    const settings = { what: 'a', problem: '', fix: 'sysctl' }
    const install = { what: 'b', problem: '', fix: 'npm install', isInstall: true }
    expect(firstToFix([settings, install])).toBe(install)
    expect(firstToFix([settings])).toBe(settings)
    expect(firstToFix([])).toBeUndefined()
  })
})
