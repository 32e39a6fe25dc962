import fs from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { allDocuments } from './all-blocks.js'

const project = fileURLToPath(new URL('../../', import.meta.url))
const DOCUMENTS = allDocuments()
/** Paths that every machine has, and the one in examples of errors. */
const EVERYWHERE = [
  '/etc/shadow',
  '/etc/ssl/private',
  '/dev',
  '/dev/null',
  '/dev/shm',
  '/proc',
  '/run',
  '/bin/sh',
  '/tmp',
  '/var/tmp',
  '/x',
  '/measured',
  '/workspace',
]
const read = (name: string) => fs.readFileSync(`${project}${name}`, 'utf8')

/** A text without its code blocks. */
function proseOf(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '')
}

/** Paths of this repository in backticks, recognized by their first folder. */
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

/** The anchor of a heading, as on GitHub. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

describe.each(DOCUMENTS)('%s', (name) => {
  it('names only files that exist', () => {
    // x/y and NAME stand for a name of the reader's own.
    const paths = namedIn(read(name)).filter((file) => !/(?:^|\/)(?:x\/y\b|NAME\b)/.test(file))
    const linked = linksIn(read(name)).map((to) => path.join(path.dirname(name), to))
    expect([...paths, ...linked].filter((file) => !fs.existsSync(path.join(project, file)))).toEqual([])
  })

  it('links to its own headings', () => {
    const headings = [...read(name).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))
    const anchors = [...read(name).matchAll(/\]\(#([^)]+)\)/g)].map((match) => match[1])
    expect(anchors.filter((anchor) => !headings.includes(anchor ?? ''))).toEqual([])
  })

  it('links to existing headings of other documents', () => {
    const links = [...read(name).matchAll(/\]\(([^)#:]+)#([^)]+)\)/g)]
    const lost = links.filter(([, to = '', anchor = '']) => {
      const headings = [...read(path.join(path.dirname(name), to)).matchAll(/^#+ (.+)$/gm)]
      return !headings.some(([, heading = '']) => anchorOf(heading) === anchor)
    })
    expect(lost.map(([link]) => link)).toEqual([])
  })

  it('names no path of a real machine', () => {
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

  it('links to a page with the reason of each dependency', () => {
    const { dependencies, devDependencies, optionalDependencies } = JSON.parse(read('package.json')) as {
      dependencies: Record<string, string>
      devDependencies: Record<string, string>
      optionalDependencies: Record<string, string>
    }
    const table = read('docs/dependencies.md')
    const names = [...table.matchAll(/^\| ([^|]+?) +\| /gm)].flatMap((match) => match[1]?.split(', ') ?? [])
    const known = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
    expect(names.filter((each) => !/^(?:at run time|for a hub|for development|-+)$/.test(each)).sort()).toEqual(
      known.sort(),
    )
  })

  it('is short, and links to every decision', () => {
    expect(text.split('\n').length).toBeLessThanOrEqual(260)
    for (const name of fs.readdirSync(`${project}docs/decisions`)) expect(text).toContain(`docs/decisions/${name}`)
  })

  it('has every room', () => {
    const rooms = fs.readdirSync(`${project}src`, { withFileTypes: true }).filter((entry) => entry.isDirectory())
    for (const { name } of rooms) expect(text).toMatch(new RegExp(`^\\| \`src/${name}/\` +\\|`, 'm'))
  })

  it('has every term of the plan in its glossary', () => {
    const glossary = text.slice(text.indexOf('## Glossary'))
    for (const word of ['workspace', 'session', 'overlay', 'stage', 'intent', 'verdict', 'commit', 'ledger'])
      expect(glossary).toMatch(new RegExp(`^\\| ${word}`, 'm'))
  })
})

describe('the picture of a review', () => {
  const svg = read('docs/review.svg')

  it("shows the commands of the demo's person", () => {
    const person = read('examples/transcripts/person.jsonl').trimEnd().split('\n')
    const acts = person.flatMap((line) => (JSON.parse(line) as { arguments?: string[] }).arguments?.slice(0, 2) ?? [])
    const commands = [...svg.matchAll(/>\$ escrow (\w+) ([\w-]+)/g)]
    expect(commands.length).toBe(4)
    for (const [, command, session] of commands) expect(acts.join(' ')).toContain(`${command} ${session}`)
  })

  it('is well-formed text on separate lines', () => {
    const lines = [...svg.matchAll(/<text [^<>]*>([^<]*)<\/text>/g)]
    expect(lines.length).toBe(svg.match(/<text /g)?.length)
    for (const [, text] of lines) expect(text).not.toMatch(/&(?!amp;|lt;|gt;)|>/)
  })
})
