import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { classify } from '../../src/change-class/classify.js'

/** The TypeScript sources that the installed zod ships: valid code that a change may touch. */
const ZOD = join(dirname(fileURLToPath(import.meta.resolve('zod/package.json'))), 'src')
const files = readdirSync(ZOD, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
const bytes = (text: string) => Buffer.from(text)

it('every file of a real code base parses', async () => {
  expect(files.length).toBeGreaterThan(300)
  for (const path of files) {
    const text = readFileSync(join(ZOD, path), 'utf8')
    const found = await classify({ path, before: bytes(text), after: bytes(`${text}\nexport const added = 1\n`) })
    const isTooLarge = found.rule === 'size'
    expect([path, isTooLarge || found.class === 'INTENT_EVOLUTION', found.detail]).toEqual([path, true, found.detail])
  }
})

const box = (modifier: string, name = 'T') => `type T = string\ninterface Box<${modifier}${name}> { item: ${name} }\n`

it.each([
  ['a variance is added', box(''), box('out ')],
  ['a variance is removed', box('out '), box('')],
  ['a variance changes', box('in '), box('out ')],
  ['a type is renamed that a parameter hides', box('out '), box('out ').replace('type T', 'type S')],
  ['only layout changes', box('out '), box('out ').replace(' { ', ' {\n  ')],
])('proves nothing in a file with variance annotations: %s', async (_, before, after) => {
  const found = await classify({ path: 'a.ts', before: bytes(before), after: bytes(after) })
  expect(['INTENT_EVOLUTION', 'UNVERIFIED']).toContain(found.class)
  expect(found.rule).not.toBe('syntax')
})

it.each(['interface Box<out', 'const a = <in T', 'function out out() {}', 'interface Box<out T U> {}'])(
  'still refuses what does not parse: %s',
  async (text) => {
    const found = await classify({ path: 'a.ts', before: bytes(`${text}\n`), after: bytes(`${text}\nconst b = 1\n`) })
    expect(found).toMatchObject({ class: 'UNVERIFIED', rule: 'syntax' })
  },
)
