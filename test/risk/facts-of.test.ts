import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { KnownFindings } from '../../src/risk/facts-of.js'
import { FACTS, type FileFindings, factsOf } from '../../src/risk/index.js'
import { type Case, CODE, DEPENDENCIES, FILES, TEXTS } from './cases.js'
import { GUARDS, LANGUAGES, MANIFESTS } from './language-cases.js'
import { DOCUMENTS, REACHES } from './reach-cases.js'
import { namesOf, newChange, side, TEST } from './support.js'

const rows = (cases: readonly Case[]) => cases.map((each) => [`${each[0]}: ${each[2] ?? 'deleted'}`, each] as const)
const isNote = (name: string) => FACTS[name as keyof typeof FACTS].severity === 'note'

describe.each([
  ['the file', FILES],
  ['its text', TEXTS],
  ['dependencies', DEPENDENCIES],
  ['code', CODE],
  ['code that uses the system, or skips a check', REACHES],
  ['documents', DOCUMENTS],
  ['other manifests', MANIFESTS],
  ['other languages', LANGUAGES],
  ['guards of other languages', GUARDS],
])('facts about %s', (_, cases) => {
  it.each(rows(cases))('%s', async (_, [path, before, after, expected]) => {
    const names = await namesOf(newChange(path, before, after))
    expect(names.filter((name) => !isNote(name)).sort()).toEqual([...expected].sort())
  })
})

describe('facts about permissions and links', () => {
  const script = (mode: number) => side('#!/bin/sh\n', mode)
  const file = (before: number, after: number) =>
    namesOf({ path: 'a', kind: 'mode', before: script(before), after: script(after) })

  it('lists what the file gains', async () => {
    expect(await file(0o644, 0o755)).toEqual(['executable'])
    expect(await file(0o755, 0o4755)).toEqual(['set-id'])
    expect(await file(0o644, 0o666)).toEqual(['permissions-wider'])
    expect(await file(0o755, 0o644)).toEqual([])
  })

  it('distinguishes a link out of the workspace from one within', async () => {
    const link = (path: string, to: string) =>
      namesOf({ path, kind: 'link', before: null, after: side(to, 0o777, 'symlink') })
    expect(await link('a/b', '../c')).toEqual(['link'])
    expect(await link('a/b', '../../c')).toEqual(['link-outside'])
    expect(await link('a/b', '/etc')).toEqual(['link-outside'])
  })
})

describe('facts about binary and large files', () => {
  it('name programs, and other binary files except pictures', async () => {
    const binary = (path: string, bytes: readonly number[]) =>
      namesOf({ path, kind: 'create', before: null, after: side(Uint8Array.from([...bytes, 0, 0])) })
    expect(await binary('a', [0x7f, 0x45, 0x4c, 0x46])).toEqual(['program-binary'])
    expect(await binary('a.bin', [1])).toEqual(['opaque'])
    expect(await binary('a.png', [1])).toEqual([])
  })

  it('report a file beyond the limit', async () => {
    expect(await namesOf(newChange('a.txt', '', 'a\n'.repeat(3_000_000)))).toEqual(['opaque'])
  })
})

describe('facts from the rest of the set', () => {
  const guarded = 'export function f(u) { if (!u) { throw new Error() } g(u) }\n'
  const bare = 'export function f(u) { g(u) }\n'

  it('count deletions', async () => {
    const gone = Array.from({ length: 12 }, (_, n) => newChange(`src/${n}.css`, 'a\n', null))
    expect(await namesOf(gone[0] ?? TEST, ...gone.slice(1))).toEqual(['many-deletions', 'deleted'])
  })

  it('recognize a guard in another file', async () => {
    const other = newChange('src/b.ts', 'k()\n', 'k(); function h(u) { if (!u) { throw new Error() } }\n')
    expect(await namesOf(newChange('src/a.ts', guarded, bare), other)).toEqual(['guard-moved'])
  })

  it('report that no test changes', async () => {
    const change = newChange('src/a.ts', 'f(1)\n', 'f(2)\n')
    const names = async (...others: (typeof change)[]) =>
      (await factsOf([change, ...others])).get('src/a.ts')?.map(({ name }) => name)
    expect(await names()).toEqual(['no-test'])
    expect(await names(TEST)).toEqual([])
  })

  it('report no missing test of a proven refactoring, and read no syntax of it', async () => {
    const mutation = { class: 'AST_REFACTOR', rule: 'layout', detail: '' } as const
    const change = { ...newChange('src/a.ts', guarded, bare), mutation }
    expect((await factsOf([change])).get('src/a.ts')).toEqual([])
  })

  it('name a declared class that was not proven', async () => {
    const mutation = { class: 'INTENT_EVOLUTION', rule: 'content', detail: '', declared: 'AST_REFACTOR' } as const
    expect(await namesOf({ ...newChange('src/a.ts', 'f(1)\n', 'f(2)\n'), mutation })).toEqual(['class-disagrees'])
  })

  it('report a lockfile without its manifest', async () => {
    const lock = newChange('yarn.lock', 'a\n', 'b\n')
    expect(await namesOf(lock)).toEqual(['lock-alone', 'generated'])
    expect(await namesOf(lock, newChange('packages/a/package.json', '{}', '{"a":1}'))).toEqual(['generated'])
  })
})

it('facts have a place and a sentence, the most serious first', async () => {
  const change = newChange('src/a.ts', 'a()\nif (!u) throw e\n', 'a()\nfetch(u)\n')
  expect((await factsOf([change, TEST])).get('src/a.ts')).toEqual([
    {
      name: 'guard-removed',
      severity: 'stop',
      sentence: 'A condition that stopped the work is gone: `if (!u)`.',
      path: 'src/a.ts',
      oldLine: 2,
    },
    {
      name: 'network-call',
      severity: 'look',
      sentence: 'The code opens a connection: `fetch(u)`.',
      path: 'src/a.ts',
      line: 2,
    },
  ])
})

it('facts of one file include its findings, and none of the set', async () => {
  const cache = new Map<string, FileFindings>()
  const known: KnownFindings = {
    get: ({ path }) => cache.get(path),
    stored: () => undefined,
    set: ({ path }, findings) => void cache.set(path, findings),
  }
  const change = newChange('src/a.ts', 'f()\n', 'eval(f)\n')
  const first = await factsOf([change], { known })
  expect(await factsOf([{ ...change, after: side('not read') }], { known })).toEqual(first)
  expect(cache.get('src/a.ts')?.map(({ name }) => name)).toEqual(['runs-text'])
})

it.each([
  ['findings', [{ name: 'link', what: 'x' }], ['link']],
  ['a fact that this version does not know', [{ name: 'toString', what: 'x' }], ['runs-text']],
  ['a line that is not a number', [{ name: 'link', what: 'x', line: 'one' }], ['runs-text']],
  ['no list', { name: 'link', what: 'x' }, ['runs-text']],
  ['nothing', undefined, ['runs-text']],
])('takes what a cache stored only if it is findings: %s', async (_, stored, expected) => {
  let kept: FileFindings | undefined
  const known: KnownFindings = {
    get: () => undefined,
    stored: () => stored,
    set(_change, findings) {
      kept = findings
    },
  }
  await factsOf([newChange('src/a.ts', 'f()\n', 'eval(f)\n')], { known })
  expect(kept?.map(({ name }) => name)).toEqual(expected)
})

describe('any change', () => {
  const token = fc.constantFrom(...'if ( ) { } throw x ; eval fetch expect ( /a/ $ | curl sh = true " \' `'.split(' '))
  const text = fc.array(fc.oneof(token, fc.constantFrom('\n', ' ', '\u202e', 'й', '\0')), { maxLength: 60 })
  const path = fc.constantFrom('a.ts', 'a.test.ts', 'a.py', 'a.sh', 'package.json', 'yarn.lock', 'b', '.npmrc')

  it('has only facts of the table, with lines that exist', async () => {
    await fc.assert(
      fc.asyncProperty(path, text, text, async (path, oldWords, newWords) => {
        const [before, after] = [oldWords.join(' '), newWords.join(' ')]
        for (const { name, line = 1, oldLine = 1 } of (await factsOf([newChange(path, before, after)])).get(path) ??
          []) {
          expect(Object.keys(FACTS)).toContain(name)
          expect(line).toBeLessThanOrEqual(after.split('\n').length)
          expect(oldLine).toBeLessThanOrEqual(before.split('\n').length)
        }
      }),
    )
  })
})
