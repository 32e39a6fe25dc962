import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { allDocuments } from './all-blocks.js'

const project = fileURLToPath(new URL('../../', import.meta.url))
const DOCUMENTS = allDocuments()
/** Places every machine has, and the one that examples of errors name. */
const EVERYWHERE = ['/dev', '/dev/null', '/dev/shm', '/proc', '/run', '/bin/sh', '/tmp', '/var/tmp', '/x', '/measured']
const read = (name: string) => fs.readFileSync(`${project}${name}`, 'utf8')

/** A text without its blocks of code. */
function proseOf(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}

/** Paths of this repository that a text names in backticks, by their first folder. */
function namedIn(text: string): string[] {
  const prose = proseOf(text)
  const ours = /^(?:src|overlay|test|docs|examples|scripts|\.ci)\//
  return [...prose.matchAll(/`([\w./-]+)`/g)].map((match) => match[1] ?? '').filter((name) => ours.test(name))
}

function linksIn(text: string): string[] {
  return [...proseOf(text).matchAll(/\]\(([^)#]+)\)/g)]
    .map((match) => match[1] ?? '')
    .filter((to) => !to.includes('://'))
}

/** As GitHub makes one of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

describe.each(DOCUMENTS)('%s', (name) => {
  it('names only files that exist', () => {
    // x/y and NAME stand for a name of the reader's own.
    const named = namedIn(read(name)).filter((file) => !/(?:^|\/)(?:x\/y\b|NAME\b)/.test(file))
    const linked = linksIn(read(name)).map((to) => path.join(path.dirname(name), to))
    expect([...named, ...linked].filter((file) => !fs.existsSync(path.join(project, file)))).toEqual([])
  })

  it('leads to headings that it has', () => {
    const headings = [...read(name).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
    const anchors = [...read(name).matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1])
    expect(anchors.filter((anchor) => !headings.includes(anchor ?? ''))).toEqual([])
  })

  it('leads to headings that other documents have', () => {
    const links = [...read(name).matchAll(/\]\(([^)#:]+)#([^)]+)\)/g)]
    const lost = links.filter(([, to = '', anchor = '']) => {
      const headings = [...read(path.join(path.dirname(name), to)).matchAll(/^#+ (.+)$/gm)]
      return !headings.some(([, heading = '']) => anchorOf(heading) === anchor)
    })
    expect(lost.map(([link]) => link)).toEqual([])
  })

  it("names no place on anyone's machine but the reader's of the examples", () => {
    const places = [
      ...read(name)
        .replace(/<!--.*?-->/g, '')
        .matchAll(/(?:^|[\s`'"(=])(\/[a-z][\w./-]*)/g),
    ].map((match) => match[1] ?? '')
    expect(places.filter((place) => !EVERYWHERE.includes(place) && !place.startsWith('/home/ada/'))).toEqual([])
  })
})

describe('ARCHITECTURE.md', () => {
  const text = read('ARCHITECTURE.md')

  it('leads to a page that gives each dependency its reason', () => {
    const { dependencies, devDependencies } = JSON.parse(read('package.json')) as {
      dependencies: Record<string, string>
      devDependencies: Record<string, string>
    }
    const table = read('docs/dependencies.md')
    const named = [...table.matchAll(/^\| ([^|]+?) +\| /gm)].flatMap((match) => match[1]?.split(', ') ?? [])
    const known = Object.keys({ ...dependencies, ...devDependencies })
    expect(named.filter((each) => !/^(?:at run time|for development|-+)$/.test(each)).sort()).toEqual(known.sort())
  })

  it('is short, and leads to every decision', () => {
    expect(text.split('\n').length).toBeLessThanOrEqual(250)
    for (const name of fs.readdirSync(`${project}docs/decisions`)) expect(text).toContain(`docs/decisions/${name}`)
  })

  it('has every room', () => {
    const rooms = fs.readdirSync(`${project}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    for (const { name } of rooms) expect(text).toMatch(new RegExp(`^\\| \`src/${name}/\` +\\|`, 'm'))
  })

  it("has every word of the plan's in its glossary", () => {
    const glossary = text.slice(text.indexOf('## Glossary'))
    for (const word of ['workspace', 'session', 'overlay', 'stage', 'intent', 'verdict', 'commit', 'ledger'])
      expect(glossary).toMatch(new RegExp(`^\\| ${word}`, 'm'))
  })
})

describe('the picture of a review', () => {
  const svg = read('docs/review.svg')

  it("shows what the demo's person types", () => {
    const person = read('examples/transcripts/person.jsonl').trimEnd().split('\n')
    const acts = person.flatMap((line) => (JSON.parse(line) as { arguments?: string[] }).arguments?.slice(0, 2) ?? [])
    const shown = [...svg.matchAll(/>\$ escrow (\w+) ([\w-]+)/g)]
    expect(shown.length).toBe(4)
    for (const [, command, session] of shown) expect(acts.join(' ')).toContain(`${command} ${session}`)
  })

  it('is well-formed text on lines of its own', () => {
    const lines = [...svg.matchAll(/<text [^<>]*>([^<]*)<\/text>/g)]
    expect(lines.length).toBe(svg.match(/<text /g)?.length)
    for (const [, text] of lines) expect(text).not.toMatch(/&(?!amp;|lt;|gt;)|>/)
  })
})
