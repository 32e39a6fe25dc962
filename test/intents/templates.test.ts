import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { globProblem } from '../../src/core/globs.js'
import { BUILT_IN, templatesOf } from '../../src/intents/templates.js'
import { trust } from '../support/trust.js'
import { testWorkspace } from './workspace.js'

function workspaceWith(files: Record<string, string>) {
  const { layout } = testWorkspace('active_intents: []\n')
  fs.mkdirSync(`${layout.templates}`)
  for (const [name, text] of Object.entries(files)) fs.writeFileSync(`${layout.templates}/${name}`, text)
  trust(layout.root)
  return layout
}

describe('templates', () => {
  it('that are built in have valid scopes', () => {
    expect(BUILT_IN.map(({ name }) => name)).toEqual(['bug-fix', 'refactor', 'feature', 'docs', 'tests'])
    for (const glob of BUILT_IN.flatMap(({ ownedScope }) => ownedScope)) expect(globProblem(glob)).toBeUndefined()
  })

  it('of a workspace come first, and replace built-in ones of the same name', () => {
    const own = 'summary: ours\nowned_scope: [a/**]\nconstraints: [c]\nacceptance_criteria: [d]\n'
    const found = templatesOf(workspaceWith({ 'docs.yaml': own, 'zeta.yml': '{}\n', 'notes.txt': '[', '.x.yaml': '[' }))
    expect(found.map(({ name, source }) => `${name} ${source}`)).toEqual([
      'docs .orchestration/templates/docs.yaml',
      'zeta .orchestration/templates/zeta.yml',
      'bug-fix built-in',
      'refactor built-in',
      'feature built-in',
      'tests built-in',
    ])
    expect(found[0]).toMatchObject({
      summary: 'ours',
      ownedScope: ['a/**'],
      constraints: ['c'],
      acceptanceCriteria: ['d'],
    })
  })

  it.each([
    ['invalid YAML', '[', /line 1/],
    ['an unknown key', 'summary: x\nscope: [a]\n', /line 2, column 1: unknown key `scope`/],
    ['a bad glob', 'owned_scope:\n  - a\n  - /etc\n', /line 3.*absolute path/],
    ['a number for text', 'constraints: [1]\n', /text is expected/],
  ])('with %s are refused by file and line', (_, text, message) => {
    const layout = workspaceWith({ 'bad.yaml': text })
    expect(() => templatesOf(layout)).toThrow(expect.objectContaining({ reason: 'policy_invalid' }))
    expect(() => templatesOf(layout)).toThrow(message)
    expect(() => templatesOf(layout)).toThrow(/templates\/bad\.yaml/)
  })

  it('that are not plain files are refused without blocking', () => {
    const layout = workspaceWith({})
    fs.symlinkSync('/dev/zero', `${layout.templates}/endless.yaml`)
    expect(() => templatesOf(layout)).toThrow(/not a plain file/)
  })

  it('are none if the directory does not exist', () => {
    expect(templatesOf(testWorkspace('active_intents: []\n').layout)).toEqual(BUILT_IN)
  })
})
