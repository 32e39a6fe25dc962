import fs from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { generateDocuments } from '../../scripts/docs/generated.js'
import { ENTRIES, exportsOf, pageOf } from '../../scripts/docs/reference.js'
import { unknownEvents } from '../../scripts/docs/turns.js'
import { layoutOf, ORCHESTRATION } from '../../src/core/layout.js'
import { readIntents } from '../../src/intents/schema.js'
import { readYaml } from '../../src/os/yaml.js'
import { project } from './reader.js'
import { blocksOf } from './readme-blocks.js'

const read = (name: string) => fs.readFileSync(`${project}${name}`, 'utf8')

describe('generated documents', () => {
  let generated: ReadonlyMap<string, string> = new Map()
  beforeAll(async () => {
    generated = await generateDocuments()
  })

  it('are up to date, or need npm run docs', () => {
    const stale = [...generated].filter(([name, text]) => !fs.existsSync(`${project}${name}`) || read(name) !== text)
    expect(stale.map(([name]) => name)).toEqual([])
  })

  it('have no page of a removed entry point', () => {
    const pages = fs.readdirSync(`${project}docs/reference`).map((name) => `docs/reference/${name}`)
    expect(pages.sort()).toEqual(Object.keys(ENTRIES).map(pageOf).sort())
  })
})

describe.each(Object.keys(ENTRIES))('%s', (entry) => {
  it('has a description of each export', () => {
    const exported = exportsOf(entry)
    expect(exported.length).toBeGreaterThan(0)
    expect(exported.filter(({ doc }) => doc === '').map(({ name, from }) => `${name} of ${from}`)).toEqual([])
  })
})

describe('docs/STATE_MACHINE.md', () => {
  it('knows every event of the turn', () => {
    expect(unknownEvents()).toEqual([])
  })
})

describe('docs/formats.md', () => {
  const text = read('docs/formats.md')

  it('lists every path', () => {
    const { session, root, dir, state, ignoreFiles, ...places } = layoutOf('/w', '/s')
    const inSession = session('ID')
    const nameOf = (place: string) => place.slice(place.lastIndexOf('/') + 1)
    const top = [...Object.values(places), ...ignoreFiles].map((place) => nameOf(`${place}`))
    const own = Object.values(inSession)
      .map(nameOf)
      .filter((name) => name !== 'ID')
    const named = [...text.matchAll(/`([\w.]+)[`/]/g)].map((match) => match[1])
    expect([root, dir, state]).toEqual(['/w', `/w/${ORCHESTRATION}`, '/s'])
    expect([...top, ...own].filter((name) => !named.includes(name))).toEqual([])
  })

  it('shows valid intent files, each with its intent', () => {
    const files = blocksOf(text).filter(({ language }) => language === 'yaml')
    expect(files.length).toBe(2)
    for (const { text: yaml } of files) {
      const parsed = readYaml(Buffer.from(yaml))
      const intents = parsed.ok ? readIntents(parsed.file) : parsed
      expect(intents.ok && [...intents.value.intents.values()][0]).toMatchObject({
        id: 'INT-001',
        name: 'Show prices with tax',
        ownedScope: expect.arrayContaining(['src/**']),
      })
    }
  })
})
