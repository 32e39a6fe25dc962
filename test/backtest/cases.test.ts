import { mkdirSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CaseRecorder, caseName, findHistories, runBacktest, testCases } from '../../src/backtest/index.js'
import type { ReplayRules } from '../../src/judge/index.js'
import { claudeLine, histories } from './history.js'

const CASES = `# What we rely on.
cases:
  - name: tests run without a question
    tool: Bash
    input: { command: npm test }
    expect: allow
  - { tool: Bash, input: { command: rm -rf dist }, expect: ask, reason: destructive }
  - { client: codex, tool: apply_patch, input: { input: "*** Begin Patch\\n*** Add File: .git/config\\n+x\\n*** End Patch" }, expect: deny, reason: protected }
  - { tool: Read, input: { file_path: ../notes }, cwd: src, expect: allow }
`
const RULES: ReplayRules = { policy: 'terminal: { classes: { destructive: ask, other: allow } }\n' }

it('decides cases by the rules, and lists those with another decision', async () => {
  const folder = histories({
    'a.yaml': CASES,
    'b.json': '{"cases":[{"tool":"Bash","input":{"command":"ls"},"expect":"deny"}]}',
  })
  const results = await testCases(folder, RULES)
  expect(results.map((each) => [caseName(each), each.passed, each.actual])).toEqual([
    ['a.yaml 1: tests run without a question', true, { expect: 'allow' }],
    ['a.yaml 2: Bash rm -rf dist', true, { expect: 'ask', reason: 'destructive' }],
    [expect.stringContaining('a.yaml 3: apply_patch'), true, { expect: 'deny', reason: 'protected' }],
    ['a.yaml 4: Read ../notes', true, { expect: 'allow' }],
    ['b.json 1: Bash ls', false, { expect: 'allow' }],
  ])
  const afterChange = await testCases(folder, {
    policy: 'terminal: { classes: { destructive: deny, other: allow } }\n',
  })
  expect(afterChange.filter(({ passed }) => !passed).map(({ number, actual }) => [number, actual])).toEqual([
    [2, { expect: 'deny', reason: 'destructive' }],
    [1, { expect: 'allow' }],
  ])
})

it('fails closed: a directory without cases, or with an invalid file, is an error', async () => {
  const folder = histories({ 'notes.txt': 'x' })
  await expect(testCases(folder, {})).rejects.toThrow('has no case')
  await expect(testCases(`${folder}/absent`, {})).rejects.toThrow('cannot be read (ENOENT)')
  for (const text of [
    'cases: [{ tool: Bash, expects: ask }]',
    'cases: [{ tool: Bash, expect: perhaps }]',
    'case: []',
    'a: [',
    '',
  ]) {
    await expect(testCases(histories({ 'a.yaml': text }), {})).rejects.toThrow('a.yaml is not a file of cases')
  }
  const directory = histories({})
  mkdirSync(`${directory}/a.yaml`)
  await expect(testCases(directory, {})).rejects.toThrow('a.yaml is not a file of cases')
})

it('records no place of a session whose first call names none, and no part of the name of a directory beside', async () => {
  const calls = [
    claudeLine('Bash', { command: 'ls' }, { cwd: undefined }),
    claudeLine('Bash', { command: 'ls web' }, { cwd: '/home/ada/shop' }),
    claudeLine('Read', { file_path: '/home/ada/shop-keys/a.pem' }, { cwd: '/home/ada/shop', sessionId: 'other' }),
  ]
  const recorder = new CaseRecorder()
  const files = findHistories([histories({ 'a.jsonl': calls })])
  await runBacktest({ files, rules: RULES, seen: (call) => recorder.add(call) })
  const text = await recorder.file(RULES)
  expect(text).not.toContain('ada')
  expect(text).toContain('~/shop-keys/a.pem')
})

it('records cases that pass, without contents, names of people and secrets', async () => {
  const cwd = '/home/ada/shop'
  const calls = [
    claudeLine('Write', { file_path: `${cwd}/src/a.ts`, content: 'hunter2hunter2' }),
    claudeLine('Write', { file_path: `${cwd}/.env`, content: 'x' }),
    claudeLine('Read', { file_path: '/home/ada/.ssh/id_ed25519' }),
    claudeLine('Bash', { command: `cd ${cwd} && rm -rf dist` }),
    claudeLine('Bash', {
      command: 'curl -H "Authorization: Bearer sk-ant-abcdefghijklmnopqrstuvwxyz0123456789" https://example.org',
    }),
    claudeLine('Bash', { command: 'npm test' }, { cwd: `${cwd}/web` }),
    ...Array.from({ length: 9 }, (_, index) => claudeLine('Bash', { command: `ls ${index}` })),
  ]
  const recorder = new CaseRecorder()
  await runBacktest({
    files: findHistories([histories({ 'a.jsonl': calls })]),
    rules: RULES,
    seen: (call) => recorder.add(call),
  })
  const text = await recorder.file(RULES)
  expect(text).not.toMatch(/ada|hunter2|sk-ant|AAAA/)
  const results = await testCases(histories({ 'recorded.yaml': text }), RULES)
  expect(results.every(({ passed }) => passed)).toBe(true)
  expect(
    results.map(({ case: { tool, input, cwd: below }, actual }) => [
      tool,
      input.command ?? input.file_path,
      below,
      actual.expect,
    ]),
  ).toEqual([
    ['Write', '/workspace/src/a.ts', undefined, 'allow'],
    ['Write', '/workspace/.env', undefined, 'deny'],
    ['Read', '~/.ssh/id_ed25519', undefined, 'deny'],
    ['Bash', 'cd /workspace && rm -rf dist', undefined, 'ask'],
    ['Bash', 'curl -H "Authorization: Bearer [secret]" https://example.org', undefined, 'allow'],
    ['Bash', 'npm test', 'web', 'allow'],
    ['Bash', 'ls 0', undefined, 'allow'],
    ['Bash', 'ls 1', undefined, 'allow'],
    ['Bash', 'ls 2', undefined, 'allow'],
  ])
})
