import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { layoutAt } from '../../src/os/workspace-state.js'
import { openPolicyFile, type PolicyState } from '../../src/policy/policy-file.js'
import { trust } from '../support/trust.js'

function policyFile(text?: string) {
  const root = mkdtempSync(join(tmpdir(), 'escrowfs-policy-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  const layout = layoutAt(root)
  mkdirSync(layout.dir)
  const write = (content: string) => {
    writeFileSync(`${layout.policyFile}`, content)
    trust(layout.root)
  }
  if (text !== undefined) write(text)
  return { root, state: openPolicyFile(layout), write }
}

function rules(state: PolicyState) {
  if (!state.ok) throw new Error(state.message)
  return state.rules
}

const word = (state: PolicyState, path: string) => rules(state).access.find(path)?.value

describe('access rules', () => {
  const text = `
access:
  .: ask
  src: allow
  src/gen/**: read-only
  src/gen/keep.ts: allow
  "**/*.pem": hidden
  certs: allow
  ./vendor/: deny
  "conf/{prod,stage}.yaml": deny
  "app/[id].tsx": read-only
`

  it.each([
    ['README.md', 'ask'],
    ['', 'ask'],
    ['src', 'allow'],
    ['src/a/b.ts', 'allow'],
    ['src/gen', 'read-only'],
    ['src/gen/x/y.ts', 'read-only'],
    ['src/gen/keep.ts', 'allow'],
    ['src/generated', 'allow'],
    ['certs/a.crt', 'allow'],
    ['certs/a.pem', 'hidden'],
    ['a.pem', 'hidden'],
    ['a.pem/inside', 'hidden'],
    ['vendor/x', 'deny'],
    ['conf/prod.yaml', 'deny'],
    ['conf/dev.yaml', 'ask'],
    ['app/[id].tsx', 'read-only'],
  ])('%s: %s, the most specific', (path, expected) => {
    expect(word(policyFile(text).state(), path)).toBe(expected)
  })

  it('are empty without a file, or if it has none', () => {
    expect(word(policyFile().state(), 'a')).toBeUndefined()
    for (const text of [
      '{}',
      'access:\n',
      'claims: warn\nlimits: {undo_commits: 100}\ngate: {breaker: 3}\nterminal: {classes: {}}\n',
    ]) {
      expect(word(policyFile(text).state(), 'a')).toBeUndefined()
    }
  })

  it('judge paths outside by absolute path, home and neighbouring directory', () => {
    const { root, state: outside } = policyFile(
      'outside:\n  /etc/ssh: hidden\n  /etc: deny\n  "~/.aws": hidden\n  ../next: read-only\n',
    )
    const find = (path: string) => rules(outside()).outside.find(path)?.value
    expect(find('/etc/ssh/key')).toBe('hidden')
    expect(find('/etc/passwd')).toBe('deny')
    expect(find('/etcetera')).toBeUndefined()
    expect(find(join(root, '..', 'next', 'a'))).toBe('read-only')
    expect(find('../next/a')).toBe('read-only')
    expect(find(join(process.env.HOME ?? '', '.aws', 'credentials'))).toBe('hidden')
  })

  it('have `protected` for more paths', () => {
    const { state: own } = policyFile('protected: [docs/legal, "**/*.lock"]\n')
    expect(rules(own()).protected.find('docs/legal/terms.md')).toEqual({ key: 'docs/legal', value: true, line: 1 })
    expect(rules(own()).protected.find('a/b.lock')).toMatchObject({ value: true })
    expect(rules(own()).protected.find('docs')).toBeUndefined()
  })
})

describe('an invalid policy.yaml', () => {
  it.each<[text: string, place: [number, number], message: RegExp]>([
    ['acces: {}\n', [1, 1], /unknown key `acces`/],
    ['access: {}\ngate:\n  tool: all\n', [3, 3], /unknown key `gate\.tool`/],
    ['access:\n  src: readonly\n', [2, 3], /allow, read-only, deny, hidden, ask/],
    ['access: [a]\n', [1, 1], /a map of path to rule/],
    ['access:\n  ../x: deny\n', [2, 3], /\.\. segments/],
    ['access:\n  /etc: deny\n', [2, 3], /absolute/],
    ['access:\n  "!src": deny\n', [2, 3], /no meaning/],
    ['protected:\n  - a\n  - "(a|b)"\n', [3, 5], /parentheses/],
    ['protected: a\n', [1, 1], /a list of globs/],
    ['limits:\n  files: 0\n', [2, 3], /above 0/],
    ['limits:\n  bytes: 1.5\n', [2, 3], /whole number/],
    ['terminal: {classes: {rm: deny}}\n', [1, 22], /unknown key `terminal\.classes\.rm`/],
    ['terminal: {classes: {destructive: never}}\n', [1, 22], /allow, ask, deny/],
    ['terminal: {network: ["https://a.b"]}\n', [1, 22], /a host is expected: example.com/],
    ['terminal: {network: maybe}\n', [1, 12], /true, false, ask or a list of hosts/],
    ['format: {"../*.ts": prettier}\n', [1, 10], /\.\. segments/],
    ['format: {"*.ts": []}\n', [1, 10], /a command is expected/],
    ['format: [{files: "*.ts"}]\n', [1, 1], /a list of \{ files, run \}/],
    ['claims: maybe\n', [1, 1], /warn, refuse/],
    ['- a\n', [1, 1], /a map is expected/],
    ['', [1, 1], /empty/],
    ['access: {a: deny\n', [2, 1], /end with a \}/],
  ])('is refused with its line and column: %j', (text, place, message) => {
    const state = policyFile(text).state()
    if (state.ok) throw new Error('it was read')
    expect(state.message).toMatch(message)
    expect(state.message).toContain(`.orchestration/policy.yaml, line ${state.line}, column ${state.column}: `)
    expect([state.line, state.column]).toEqual(place)
  })

  it.each(['approval: {mode: auto}'])('with %s is refused by name, never ignored', (text) => {
    const key = text.replace(/[:{ ]+/g, ' ').split(' ')
    const state = policyFile(`${text}\n`).state()
    expect(state).toMatchObject({ ok: false, message: expect.stringContaining('not supported by this version') })
    expect(state).toMatchObject({ message: expect.stringContaining(key[0] ?? '') })
  })
})

describe('reads while policy.yaml is invalid', () => {
  const forReads = (state: PolicyState, path: string) => (state.ok ? 'ok' : state.readRules?.access.find(path)?.value)

  it('use the valid parts, also with a misspelt section', () => {
    expect(forReads(policyFile('access: {.env: hidden}\nclaim: warn\n').state(), '.env')).toBe('hidden')
    expect(forReads(policyFile('acess: {.env: hidden}\n').state(), '.env')).toBe('hidden')
    expect(forReads(policyFile('access: {.env: hidden}\napproval: {mode: auto}\n').state(), '.env')).toBe('hidden')
  })

  it('use the last valid file, and have no rules without one', () => {
    const { state, write } = policyFile('access: {.env: hidden}\n')
    expect(state().ok).toBe(true)
    write('access: {.env: hiden}\n')
    expect(forReads(state(), '.env')).toBe('hidden')
    write('access: [')
    expect(forReads(state(), '.env')).toBe('hidden')
    expect(policyFile('access: [').state()).not.toHaveProperty('readRules')
    expect(policyFile('access: {.env: hiden}\n').state()).not.toHaveProperty('readRules')
  })

  it('follow the file when it is repaired', () => {
    const { state, write } = policyFile('x: [')
    expect(state()).toMatchObject({ ok: false, version: 1 })
    write('access: {a: deny}\n')
    expect(state()).toMatchObject({ ok: true, version: 2 })
    expect(word(state(), 'a')).toBe('deny')
  })
})
