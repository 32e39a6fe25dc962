import { describe, expect, it } from 'vitest'
import { DEFAULT_REQUIRED } from '../../src/core/protection.js'
import { ignoreChanges, policyChanges } from '../../src/trust/changes.js'

/** Each row: the accepted policy, the one in the file, and what each change does. */
type Row = readonly [before: string, after: string, ...effects: string[]]

const effectsOf = (before: string, after: string) => policyChanges(before, after).map(({ effect }) => effect)

function expectRows(rows: readonly Row[]) {
  it.each(rows)('%s → %s', (before, after, ...effects) => expect(effectsOf(before, after)).toEqual(effects))
}

const LOOSENS = 'loosens'
const TIGHTENS = 'tightens'

describe('a rule for paths', () => {
  expectRows([
    ['{}', 'access: {src: ask}', TIGHTENS],
    ['{}', 'access: {src: allow}', LOOSENS],
    ['access: {src: allow}', '{}', TIGHTENS],
    ['access: {src: ask}', '{}', LOOSENS],
    ['access: {src: ask}', 'access: {src: read-only}', TIGHTENS],
    ['access: {src: hidden}', 'access: {src: deny}', LOOSENS],
    ['{}', 'access: {src: nonsense}', LOOSENS],
    // A secret is open to reads as soon as a rule names it.
    ['{}', 'access: {.env: read-only}', LOOSENS],
    ['{}', 'access: {./app/.env: ask}', LOOSENS],
    ['{}', 'access: {"**/.en?": read-only}', LOOSENS],
    ['{}', 'access: {.env: hidden}', TIGHTENS],
    ['access: {.env: allow}', 'access: {.env: read-only}', TIGHTENS],
    // The most specific rule applies in place of a stricter one.
    ['access: {src: hidden}', 'access: {src: hidden, src/a.ts: deny}', LOOSENS],
    ['access: {src/**: hidden}', 'access: {src/**: hidden, src/sub/: read-only}', LOOSENS],
    ['access: {src: ask}', 'access: {src: ask, src/a.ts: read-only}', TIGHTENS],
    ['access: {src: ask}', 'access: {src: ask, docs: ask}', TIGHTENS],
    ['access: {src: hidden}', 'access: {src: hidden, docs: ask}', TIGHTENS],
    ['access: {"**": deny}', 'access: {"**": deny, docs: ask}', LOOSENS],
    ['access: {src: hidden}', 'access: {src: hidden, "src/*.ts": deny}', LOOSENS],
    ['access: {"*.ts": hidden}', 'access: {"*.ts": hidden, a.ts: deny}', LOOSENS],
    ['access: {"*.ts": deny}', 'access: {"*.ts": deny, a.ts: hidden}', TIGHTENS],
    // A glob that names a secret may apply in place of a longer one that did not.
    ['access: {"**/.env": allow, "src/**/*": allow}', 'access: {"**/.env": allow}', LOOSENS],
    ['access: {"**/.env": deny, "src/**/*": allow}', 'access: {"**/.env": deny}', TIGHTENS],
    // Of two globs of one length, the first applies.
    ['access: {"a*": hidden, "*b": deny}', 'access: {"*b": deny, "a*": hidden}', LOOSENS],
    ['access: {"a*": hidden, "*bc": deny}', 'access: {"*bc": deny, "a*": hidden}'],
    ['access: {a: hidden, b: deny}', 'access: {b: deny, a: hidden}'],
  ])
})

it('a change of a rule names what applied to its path before', () => {
  const whatOf = (before: string, after: string) => policyChanges(before, after).map(({ what }) => what)
  expect(whatOf('{}', 'access: {.env: read-only}')).toEqual(['access ".env": read-only (was: closed as a secret)'])
  const [old, now] = ['access: {src: hidden}', 'access: {src: hidden, src/a.ts: deny}']
  expect(whatOf(old, now)).toEqual(['access "src/a.ts": deny (was: hidden by "src")'])
  expect(whatOf('access: {a: deny}', 'access: {a: ask}')).toEqual(['access "a": ask (was: deny)'])
  expect(whatOf('{}', 'access: {"*.ts": deny}')).toEqual(['access "*.ts": deny (was: nothing)'])
})

describe('a rule for paths outside', () => {
  expectRows([
    ['{}', 'outside: {~/data: read-only}', LOOSENS],
    ['{}', 'outside: {~/data: deny}', TIGHTENS],
    ['outside: {~/data: ask}', '{}', TIGHTENS],
    ['outside: {~/data: deny}', '{}', LOOSENS],
    ['outside: {~/data: hidden}', 'outside: {~/data: hidden, ~/data/a: deny}', LOOSENS],
    ['outside: {~/data: allow, ~/data/a: read-only}', 'outside: {~/data: allow}', LOOSENS],
    ['outside: {~/data: allow, ~/data/a: allow}', 'outside: {~/data: allow}', TIGHTENS],
    ['outside: {"/a*": allow, "/*b": deny}', 'outside: {"/*b": deny, "/a*": allow}', LOOSENS],
  ])
})

describe('a number', () => {
  expectRows([
    ['{}', 'limits: {files: 3}', TIGHTENS],
    ['limits: {files: 3}', 'limits: {files: 2}', TIGHTENS],
    ['limits: {files: 3}', 'limits: {files: 4}', LOOSENS],
    ['limits: {ops_per_minute: 3}', '{}', LOOSENS],
    ['limits: {bytes: 3}', 'limits: {bytes: x}', LOOSENS],
    // Without the key, three denials stop an agent.
    ['{}', 'gate: {breaker: 2}', TIGHTENS],
    ['{}', 'gate: {breaker: 9}', LOOSENS],
    ['gate: {breaker: 9}', '{}', TIGHTENS],
    // Without the key, a hundred commits can be undone.
    ['{}', 'limits: {undo_commits: 200}', TIGHTENS],
    ['{}', 'limits: {undo_commits: 5}', LOOSENS],
    ['limits: {undo_commits: 200}', '{}', LOOSENS],
    ['limits: {undo_commits: 5}', '{}', TIGHTENS],
  ])
})

describe('a list', () => {
  const required = (names: readonly string[]) => `terminal: {require: [${names.join(', ')}]}`
  expectRows([
    ['{}', 'protected: [a]', TIGHTENS],
    ['protected: [a, b]', 'protected: [b]', LOOSENS],
    ['protected: [a, b]', 'protected: [b, a]', TIGHTENS],
    ['{}', 'approval: {auto: {never: [a]}}', TIGHTENS],
    ['approval: {auto: {never: [a]}}', 'approval: {auto: {never: []}}', LOOSENS],
    ['{}', 'approval: {auto: {tiers: [{name: a}]}}', LOOSENS],
    ['approval: {auto: {tiers: [{name: a}]}}', 'approval: {auto: {tiers: [{name: a, hold: 9}]}}', LOOSENS],
    ['approval: {auto: {tiers: [{name: a}]}}', '{}', TIGHTENS],
    ['{}', required(['write_fence']), LOOSENS],
    [required(['write_fence']), '{}', TIGHTENS],
    ['{}', required([...DEFAULT_REQUIRED, 'process_list']), TIGHTENS],
    [required([...DEFAULT_REQUIRED, 'process_list']), '{}', LOOSENS],
  ])
})

describe('the network of commands', () => {
  const network = (value: string) => `terminal: {network: ${value}}`
  expectRows([
    ['{}', network('[a.example]'), LOOSENS],
    [network('false'), network('[a.example]'), LOOSENS],
    [network('ask'), network('[a.example]'), LOOSENS],
    [network('true'), network('[a.example]'), TIGHTENS],
    [network('[a.example]'), network('[a.example, b.example]'), LOOSENS],
    [network('[a.example, b.example]'), network('[b.example]'), TIGHTENS],
    [network('[a.example]'), network('false'), TIGHTENS],
    [network('[a.example]'), '{}', TIGHTENS],
    [network('[a.example]'), network('ask'), LOOSENS],
    [network('[a.example]'), network('true'), LOOSENS],
  ])
})

describe('any other key', () => {
  expectRows([
    ['{}', 'format: {"*.ts": x}', 'runs'],
    ['format: {"*.ts": x}', 'format: {"*.ts": y}', 'runs'],
    ['format: {"*.ts": x}', '{}', TIGHTENS],
    ['{}', 'lessons_file: NOTES.md', 'text'],
    ['{}', 'terminal: {classes: {network: ask}}', TIGHTENS],
    ['{}', 'terminal: {classes: {network: allow}}', LOOSENS],
    ['terminal: {classes: {network: deny}}', 'terminal: {classes: {network: ask}}', LOOSENS],
    ['{}', 'commit: {per: step}', LOOSENS],
    ['{}', 'unknown: 1', LOOSENS],
    ['a: 1', 'a: 1\nb:\n', ...[]],
    ['{}', '{', LOOSENS],
    ['{', '{}', LOOSENS],
  ])
})

describe('a line of .intentignore', () => {
  it.each<Row>([
    ['', '*.log\n', LOOSENS],
    ['*.log\n', '', TIGHTENS],
    ['*.log\n', '*.log\n!x.log\n', TIGHTENS],
    ['*.log\n!x.log\n', '*.log\n', LOOSENS],
    ['', 'INT-001\n', TIGHTENS],
    // The last line that matches decides.
    ['*.log\n!x.log\n', '!x.log\n*.log\n', LOOSENS],
    ['*.log\n!x.log\n', '*.log\n!x.log\n*.log\n', LOOSENS],
  ])('%j → %j', (before, after, ...effects) => {
    expect(ignoreChanges(before, after).map(({ effect }) => effect)).toEqual(effects)
  })
})
