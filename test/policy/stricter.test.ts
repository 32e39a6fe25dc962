import { describe, expect, it } from 'vitest'
import { readPolicy } from '../../src/policy/policy-read.js'
import type { Settings } from '../../src/policy/settings.js'
import { stricterRules } from '../../src/policy/stricter.js'

/** The rules that apply while policy.yaml differs from its accepted copy. */

function rulesOf(text: string) {
  const { rules, problem } = readPolicy('/ws', { kind: 'bytes', bytes: Buffer.from(text) })
  if (rules === undefined) throw new Error(problem?.message)
  return rules
}

const stricter = (file: string, accepted: string) => stricterRules(rulesOf(file), rulesOf(accepted))

const TIER = '{name: docs, paths: ["docs/**"], classes: [documentation], max_files: 3, max_lines: 30}'

/** A setting, and policies from the loosest to the strictest. */
type Ladder = readonly [name: string, of: (settings: Settings) => unknown, policies: readonly string[]]

const LADDERS: readonly Ladder[] = [
  ['locks.require_read', ({ requireRead }) => requireRead, ['{}', 'locks: {require_read: true}']],
  ['locks.strict', ({ strict }) => strict, ['{}', 'locks: {strict: true}']],
  ['approval.merge', ({ autoMerge }) => autoMerge, ['approval: {merge: auto}', '{}']],
  ['approval.by', ({ approvedBy }) => approvedBy, ['{}', 'approval: {by: person}']],
  ['approval.lessons', ({ autoLessons }) => autoLessons, ['approval: {lessons: auto}', '{}']],
  ['approval.modal', ({ gate }) => gate.modal, ['{}', 'approval: {modal: all}']],
  ['gate.tools', ({ gate }) => gate.tools, ['{}', 'gate: {tools: all}']],
  ['gate.breaker', ({ gate }) => gate.breaker, ['gate: {breaker: 5}', '{}', 'gate: {breaker: 2}']],
  [
    'gate.require_mutation_class',
    ({ gate }) => gate.requireMutationClass,
    ['{}', 'gate: {require_mutation_class: true}'],
  ],
  ['claims', ({ claims }) => claims, ['{}', 'claims: refuse']],
  ['commit.checklist', ({ checklist }) => checklist, ['{}', 'commit: {checklist: required}']],
  ['limits.files', ({ limits }) => limits.files, ['{}', 'limits: {files: 3}', 'limits: {files: 2}']],
  ['limits.bytes', ({ limits }) => limits.bytes, ['{}', 'limits: {bytes: 3}', 'limits: {bytes: 2}']],
  [
    'limits.ops_per_minute',
    ({ limits }) => limits.opsPerMinute,
    ['{}', 'limits: {ops_per_minute: 3}', 'limits: {ops_per_minute: 2}'],
  ],
  [
    'limits.undo_commits',
    ({ undoCommits }) => undoCommits,
    ['limits: {undo_commits: 5}', '{}', 'limits: {undo_commits: 200}'],
  ],
  [
    'terminal.network',
    ({ network }) => network,
    [
      'terminal: {network: true}',
      'terminal: {network: [a.example, b.example]}',
      'terminal: {network: [a.example]}',
      'terminal: {network: ask}',
      '{}',
    ],
  ],
  ['terminal.isolation_none', ({ isolationNone }) => isolationNone, ['terminal: {isolation_none: true}', '{}']],
  [
    'terminal.classes',
    ({ classes }) => classes.network,
    [
      'terminal: {classes: {network: allow}}',
      'terminal: {classes: {network: ask}}',
      'terminal: {classes: {network: deny}}',
    ],
  ],
]

describe.each(LADDERS)('of two values of %s', (_, of, policies) => {
  it('the stricter one applies, whichever of file and accepted copy has it', () => {
    policies.forEach((loose, at) => {
      for (const strict of policies.slice(at)) {
        const expected = of(rulesOf(strict).settings)
        expect([loose, strict, of(stricter(loose, strict).settings)]).toEqual([loose, strict, expected])
        expect([strict, loose, of(stricter(strict, loose).settings)]).toEqual([strict, loose, expected])
      }
    })
  })
})

describe('while the file differs from the accepted copy', () => {
  it('all protections of both are required', () => {
    const [one, other] = ['terminal: {require: [write_fence, network_off]}', 'terminal: {require: [read_mask]}']
    expect([...stricter(one, other).settings.require].sort()).toEqual(['network_off', 'read_mask', 'write_fence'])
  })

  it('nothing is released by a rule that only one of them has', () => {
    const [none, tier] = ['{}', `approval: {auto: {tiers: [${TIER}]}}`]
    const wider = tier.replace('max_files: 3', 'max_files: 4')
    for (const [file, accepted] of [
      [none, tier],
      [tier, none],
      [wider, tier],
      [tier, wider],
    ] as const)
      expect(stricter(file, accepted).settings.release).toBeUndefined()
    expect(stricter(`# a comment\n${tier}`, tier).settings.release).toEqual(rulesOf(tier).settings.release)
  })

  it('a formatter runs if both have it, and git commits are made as accepted', () => {
    const [one, other] = ['format: {"*.ts": x, "*.js": y}', 'format: {"*.ts": x, "*.js": z}\ncommit: {git: true}']
    expect(stricter(one, other).settings.format.map(({ run }) => run)).toEqual(['x'])
    expect([stricter(one, other).settings.git, stricter(other, one).settings.git]).toEqual([{ per: 'all' }, undefined])
  })

  it('the lessons go to the accepted file', () => {
    expect(stricter('lessons_file: a.md', 'lessons_file: b.md').settings.lessonsFile).toBe('b.md')
    expect(stricter('lessons_file: a.md', '{}').settings.lessonsFile).toBeUndefined()
  })

  it('listings are filtered if either hides or closes paths', () => {
    const traits = (file: string, accepted: string) => {
      const { hides, closes } = stricter(file, accepted)
      return [hides, closes]
    }
    for (const [policy, ...expected] of [
      ['access: {a: hidden}', true, true],
      ['access: {a: deny}', false, true],
      ['access: {a: ask}', false, false],
    ] as const) {
      expect(traits(policy, '{}')).toEqual(expected)
      expect(traits('{}', policy)).toEqual(expected)
    }
  })

  it('commands see a place outside if both open it, and not one that either closes', () => {
    const places = (file: string, accepted: string) =>
      stricter(file, accepted)
        .outside.places()
        .map(({ path, word }) => `${path} ${word}`)
        .sort()
    expect(places('outside: {/a: read-only}', '{}')).toEqual([])
    expect(places('{}', 'outside: {/a: read-only}')).toEqual([])
    expect(places('outside: {/a: read-only}', 'outside: {/a: allow}')).toEqual(['/a allow', '/a read-only'])
    expect(places('outside: {/a/b: allow}', 'outside: {/a: read-only}')).toEqual(['/a/b allow'])
    expect(places('outside: {/a: deny}', 'outside: {/b: hidden}')).toEqual(['/a deny', '/b hidden'])
    expect(places('outside: {/a: deny}', 'outside: {/a: allow}')).toEqual(['/a deny'])
  })
})
