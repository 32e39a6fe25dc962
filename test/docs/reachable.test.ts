import fs from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { project } from './reader.js'

const read = (name: string) => fs.readFileSync(`${project}${name}`, 'utf8')

/** The pages that a page links to, relative to the repository. */
function linkedFrom(page: string): string[] {
  const links = [...read(page).matchAll(/\]\(([^)#:]+\.md)(?:#[^)]*)?\)/g)]
  return links.map(([, to = '']) => path.join(path.dirname(page), to))
}

function markdownIn(folder: string): string[] {
  return fs.readdirSync(`${project}${folder}`).flatMap((name) => (name.endsWith('.md') ? [`${folder}/${name}`] : []))
}

describe('from the README', () => {
  const first = linkedFrom('README.md')
  const reached = new Set([...first, ...first.flatMap(linkedFrom)])

  it.each([...markdownIn('docs'), ...markdownIn('docs/hosts')])('%s is at most two links away', (page) => {
    expect(reached).toContain(page)
  })

  it('each recipe of the cookbook is at most two links away', () => {
    expect(first).toContain('docs/cookbook.md')
    const cookbook = read('docs/cookbook.md').replace(/^```[\s\S]*?^```$/gm, '')
    const index = cookbook.slice(0, cookbook.indexOf('\n## '))
    const recipes = [...cookbook.matchAll(/^## (.+)$/gm)].map(([, name = '']) => name)
    const linked = [...index.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor)
    const anchors = recipes.map((name) =>
      name
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replace(/\s/g, '-'),
    )
    expect(anchors.filter((anchor) => !linked.includes(anchor))).toEqual(['a-project-for-the-rules-below'])
    expect(recipes.length).toBeGreaterThanOrEqual(20)
  })
})
