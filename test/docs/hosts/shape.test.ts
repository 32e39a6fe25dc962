import fs from 'node:fs'
import { expect, it } from 'vitest'
import { project } from '../reader.js'

const GUIDES = [
  'docs/hosts/acp.md',
  'docs/hosts/claude.md',
  'docs/hosts/cline.md',
  'docs/hosts/codex.md',
  'docs/hosts/gemini.md',
  'docs/hosts/opencode.md',
  'docs/hosts/mcp.md',
  'docs/hosts/roo.md',
  'docs/shell.md',
]
/** The sections of each guide, in this order. Other sections may come between them. */
const PARTS = ['What is governed', 'Set up', 'Try it', 'When it fails', 'Remove']

it.each(GUIDES)('%s has the sections of every guide, in order', (name) => {
  const headings = [...fs.readFileSync(`${project}${name}`, 'utf8').matchAll(/^## (.+)$/gm)].map(
    (match) => match[1] ?? '',
  )
  expect(headings.filter((heading) => PARTS.includes(heading))).toEqual(PARTS)
})
