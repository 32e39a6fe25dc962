import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Change } from '../../src/core/api.js'
import type { ReleaseRules } from '../../src/core/release-api.js'
import { FACTS } from '../../src/risk/facts.js'
import { decideRelease, rulesDigest } from '../../src/tiers/index.js'

const HUNK = { id: 'h', oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, state: 'pending' } as const

function change(overrides: Partial<Change> = {}): Change {
  return {
    path: 'src/a.ts',
    kind: 'modify',
    before: 'sha256:1',
    after: 'sha256:2',
    hunks: [{ ...HUNK, text: '@@ -1 +1 @@\n-a\n+b\n' }],
    state: 'pending',
    flags: [],
    mutation: { class: 'AST_REFACTOR', rule: 'layout', detail: 'the same code' },
    risk: { facts: [], level: 'none' },
    ...overrides,
  }
}

/** One tier that releases everything that can be released. */
const OPEN: ReleaseRules = {
  tiers: [
    {
      name: 'all',
      paths: ['**'],
      classes: ['any'],
      maxFiles: 100,
      maxLines: 1_000,
      requires: ['no_dependency', 'no_mode', 'no_link', 'no_binary'],
      hold: 0,
    },
  ],
  never: [],
}

const { mutation: _, ...unclassified } = change()

const newEvolution = (path: string) => change({ path, mutation: { class: 'INTENT_EVOLUTION', rule: 'x', detail: '' } })

const tierOf = (each: Change, rules: ReleaseRules | undefined = OPEN) => decideRelease(rules, [each])[0]?.tier

describe('a tier', () => {
  it('releases a new file that is not executable', () => {
    expect(tierOf(change({ kind: 'create', before: null, mode: { before: null, after: 0o644 } }))).toBe('all')
  })

  it('releases a change of its class in its paths', () => {
    expect(tierOf(change())).toBe('all')
    expect(decideRelease(undefined, [change()])[0]).toMatchObject({ reasons: [expect.any(String)] })
  })

  it.each([
    ['formatting', change(), true],
    ['formatting', change({ mutation: { class: 'AST_REFACTOR', rule: 'same', detail: '' } }), true],
    ['formatting', change({ mutation: { class: 'AST_REFACTOR', rule: 'renamed', detail: '' } }), false],
    ['refactor', change({ mutation: { class: 'AST_REFACTOR', rule: 'renamed', detail: '' } }), true],
    [
      'refactor',
      change({ mutation: { class: 'AST_REFACTOR', rule: 'x', detail: '', declared: 'AST_REFACTOR' } }),
      true,
    ],
    [
      'refactor',
      change({ mutation: { class: 'AST_REFACTOR', rule: 'x', detail: '', declared: 'INTENT_EVOLUTION' } }),
      false,
    ],
    ['refactor', change({ mutation: { class: 'INTENT_EVOLUTION', rule: 'x', detail: '' } }), false],
    ['documentation', change({ path: 'docs/a.md' }), true],
    ['documentation', change({ path: 'docs/a.md', from: 'src/a.ts' }), false],
    ['tests', change({ path: 'test/a.test.ts' }), true],
    ['tests', change({ path: 'src/a.ts' }), false],
    ['any', change({ mutation: { class: 'INTENT_EVOLUTION', rule: 'x', detail: '' } }), true],
    ['any', change({ mutation: { class: 'UNVERIFIED', rule: 'size', detail: 'too large' } }), false],
    ['any', change({ kind: 'delete', after: null }), false],
    ['any', change({ kind: 'rename', from: 'src/b.ts' }), false],
    ['any', change({ hunks: [] }), false],
    // Named as documents, but executed or rendered as code.
    ['documentation', change({ path: 'docs/README.sh' }), false],
    ['documentation', change({ path: 'docs/readme.js' }), false],
    ['documentation', change({ path: 'docs/guide.mdx' }), false],
    ['documentation', change({ path: 'docs/README.html' }), false],
    ['documentation', change({ path: 'docs/README.ps1' }), false],
    ['documentation', change({ path: 'docs/LICENSE.json' }), false],
    ['documentation', change({ path: 'docs/README.md.erb' }), false],
    ['documentation', change({ path: 'docs/apt.txt' }), false],
    ['documentation', change({ path: 'docs/README' }), true],
    ['documentation', change({ path: 'LICENSE.txt' }), true],
    // The facts of other languages come from lists of words: a word that a list lacks would be released.
    ['any', newEvolution('src/a.py'), false],
    ['any', newEvolution('src/a.json'), false],
    ['any', { ...newEvolution('src/a.sh'), kind: 'create', before: null }, false],
    ['any', { ...newEvolution('src/run'), kind: 'create', before: null }, false],
    ['any', { ...newEvolution('src/a.ts'), kind: 'create', before: null }, true],
    ['any', change({ path: 'src/a.py' }), true],
    ['tests', change({ path: 'test/run.sh' }), false],
    ['tests', change({ path: 'test/test_a.py' }), false],
  ] as const)('of the class %s has the right changes', (name, each, isReleased) => {
    const [tier] = OPEN.tiers
    const rules = tier === undefined ? OPEN : { ...OPEN, tiers: [{ ...tier, classes: [name] }] }
    expect(tierOf(each, rules)).toBe(isReleased ? 'all' : undefined)
  })

  it('is the first whose paths and classes fit; its refusal is final', () => {
    const [open] = OPEN.tiers
    if (open === undefined) throw new Error('There is no tier.')
    const strict = { ...open, name: 'strict', maxFiles: 1 }
    const changes = [change(), change({ path: 'src/b.ts' })]
    expect(decideRelease({ tiers: [strict, open], never: [] }, changes).map(({ tier }) => tier)).toEqual([
      undefined,
      undefined,
    ])
    expect(
      decideRelease({ tiers: [{ ...strict, paths: ['docs/**'] }, open], never: [] }, changes).map(({ tier }) => tier),
    ).toEqual(['all', 'all'])
  })

  it('counts only the changes that it releases', () => {
    const [open] = OPEN.tiers
    if (open === undefined) throw new Error('There is no tier.')
    const one = { ...open, maxFiles: 1 }
    const rules = {
      tiers: [
        { ...one, name: 'docs', paths: ['docs/**'] },
        { ...one, name: 'src', paths: ['src/**'] },
      ],
      never: [],
    }
    const changes = [change(), change({ path: 'src/b.ts', flags: ['drifted'] }), change({ path: 'docs/a.md' })]
    expect(decideRelease(rules, changes).map(({ tier }) => tier)).toEqual(['src', undefined, 'docs'])
  })

  it.each<readonly [glob: string, each: Change, reason: string]>([
    ['src/**', change({ path: 'docs/a.md' }), 'no tier is for this path'],
    [
      '**',
      change({ path: 'docs/a.md' }),
      'no tier is for a change of the class refactor or formatting or documentation',
    ],
    ['**', newEvolution('src/a.ts'), 'no tier is for new behaviour or data, which only the class any includes'],
    ['**', change({ kind: 'rename', from: 'src/b.ts' }), 'no tier is for a change of the kind rename'],
    [
      '**',
      { ...unclassified, path: 'a.py', kind: 'create', before: null },
      'no tier is for new behaviour or data in a file other than JavaScript and TypeScript',
    ],
    ['**', newEvolution('a.py'), 'no tier is for new behaviour or data in a file other than JavaScript and TypeScript'],
    [
      '**',
      change({ mutation: { class: 'UNVERIFIED', rule: 'size', detail: 'too large' } }),
      'no tier is for a change whose class is not proven (too large)',
    ],
    ['**', unclassified, 'no tier is for a change whose class is not proven'],
  ])('for %s says why it does not release another change', (glob, each, reason) => {
    const tiers = OPEN.tiers.map((tier) => ({ ...tier, paths: [glob], classes: ['tests'] as const }))
    expect(decideRelease({ tiers, never: [] }, [each])).toMatchObject([{ reasons: [reason] }])
  })

  it('names the facts of a change where they are known', () => {
    const { risk, ...unknown } = change()
    expect(decideRelease(OPEN, [change(), unknown])).toEqual([
      { path: 'src/a.ts', reasons: [expect.any(String)], risk },
      { path: 'src/a.ts', reasons: [expect.any(String)] },
    ])
  })

  it('counts the added and removed lines of all its changes', () => {
    const [tier] = OPEN.tiers
    if (tier === undefined) throw new Error('There is no tier.')
    const rules = (maxLines: number) => ({ tiers: [{ ...tier, maxLines }], never: [] })
    const changes = [change(), change({ path: 'src/b.ts' })]
    expect(decideRelease(rules(4), changes)[0]?.tier).toBe('all')
    expect(decideRelease(rules(3), changes)[0]?.reasons).toEqual(['the tier all releases 3 lines at most, not 4'])
    const newAddition = (text: string) => [change({ hunks: [{ ...HUNK, text: `@@ -0,0 +1 @@\n+${text}\n` }] })]
    for (const text of ['a'.repeat(700), 'a()\r'.repeat(4), 'a()\u2028'.repeat(4)])
      expect(decideRelease(rules(3), newAddition(text))[0]?.tier).toBeUndefined()
    expect(decideRelease(rules(3), newAddition('a()\r'))[0]?.tier).toBe('all')
  })
})

describe('no tier releases', () => {
  it.each([
    ...[
      'package.json',
      'sub/package.json',
      'package-lock.json',
      'yarn.lock',
      'go.sum',
      'Cargo.toml',
      'requirements.txt',
      'docs/constraints.txt',
      'docs/dev-requirements.txt',
      'docs/requirements/dev.txt',
      'src/node_modules/left-pad/index.js',
      'test/__mocks__/auth.js',
      'test/karma.conf.js',
      'vitest.workspace.ts',
    ],
    ...[
      '.github/workflows/ci.yml',
      '.gitlab-ci.yml',
      'Jenkinsfile',
      '.husky/pre-commit',
      '.git/hooks/pre-push',
      '.pre-commit-config.yaml',
    ],
    ...[
      '.npmrc',
      'Dockerfile',
      'Makefile',
      'setup.py',
      'conftest.py',
      '.vscode/tasks.json',
      '.envrc',
      '.gitattributes',
    ],
    ...[
      '.orchestration/policy.yaml',
      '.intentignore',
      '.env',
      'certs/server.pem',
      '.claude/settings.json',
      'vite.config.ts',
    ],
    ...['db/migrations/001_users.sql', 'PACKAGE.JSON', 'Package-Lock.json', '.GITHUB/workflows/ci.yml'],
    ...[
      '.Orchestration/policy.yaml',
      '.Git/info/a.md',
      '.IntentIgnore',
      '.Claude/commands/a.md',
      'claude.md',
      'Claude.MD',
    ],
  ])('%s', (path) => {
    expect(tierOf(change({ path }))).toBeUndefined()
    expect(tierOf(change({ path: 'docs/a.md', from: path }))).toBeUndefined()
  })

  it('one of two changes at a path, under its old or its new name', () => {
    const gone = change({ path: 'docs/a.md', kind: 'delete', after: null })
    const renamed = change({ path: 'src/b.ts', from: 'docs/a.md', kind: 'rename' })
    const moved = change({ path: 'docs/b.md', from: 'docs/a.md' })
    const shared = { reasons: ['another change is at the same path'] }
    for (const other of [gone, renamed, moved])
      expect(decideRelease(OPEN, [change({ path: 'docs/a.md' }), other])).toMatchObject([shared, shared])
  })

  it('a deletion, for that reason only', () => {
    const facts = [{ name: 'deleted', ...FACTS.deleted, path: 'docs/a.md' }]
    const mode = { before: 0o644, after: null }
    const gone = change({ path: 'docs/a.md', kind: 'delete', after: null, mode, risk: { facts, level: 'look' } })
    expect(decideRelease(OPEN, [gone])).toMatchObject([{ reasons: ['The file is deleted.'] }])
  })

  it('a path under never', () => {
    expect(tierOf(change({ path: 'infra/a.md' }), { ...OPEN, never: ['infra/**'] })).toBeUndefined()
    expect(tierOf(change({ path: 'docs/infra.md' }), { ...OPEN, never: ['infra/**'] })).toBe('all')
  })

  it('a change with a flag, without facts, or with a fact that asks for a look', () => {
    const { risk, ...unknown } = change()
    expect(risk).toBeDefined()
    expect(tierOf(unknown)).toBeUndefined()
    fc.assert(
      fc.property(
        fc.constantFrom('drifted', 'protected', 'out-of-scope', 'binary', 'symlink', 'conflict', 'new-flag'),
        (flag) => {
          expect(tierOf(change({ flags: [flag] }))).toBeUndefined()
        },
      ),
    )
    for (const [name, { severity, sentence }] of Object.entries(FACTS)) {
      const facts = [{ name, severity, sentence, path: 'src/a.ts' }]
      const released = tierOf(change({ risk: { facts, level: severity } }))
      const isHarmless = severity === 'note' && !/^(?:dependency|lock|registry)-/.test(name)
      expect([name, released]).toEqual([name, isHarmless ? 'all' : undefined])
    }
  })

  it.each([
    ['a mode', change({ mode: { before: 0o644, after: 0o755 } })],
    ['an executable file', change({ kind: 'create', before: null, mode: { before: null, after: 0o755 } })],
    ['a mode that takes a permission away', change({ mode: { before: 0o755, after: 0o644 } })],
    ['a link', change({ kind: 'link' })],
    ['a file without lines to read', change({ hunks: [] })],
  ])('%s, whatever the tier requires', (_, each) => {
    const [tier] = OPEN.tiers
    const lax = tier === undefined ? OPEN : { ...OPEN, tiers: [{ ...tier, requires: [] }] }
    for (const rules of [OPEN, lax]) expect(tierOf({ ...each, path: 'docs/a.md' }, rules)).toBeUndefined()
  })
})

it('rules have a digest of everything that they say', () => {
  expect(rulesDigest(OPEN)).toBe(rulesDigest(structuredClone(OPEN)))
  expect(rulesDigest(OPEN)).not.toBe(rulesDigest({ ...OPEN, never: ['x'] }))
})
