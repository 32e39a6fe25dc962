import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { findHistories, renderPage, renderText, runBacktest } from '../../src/backtest/index.js'
import { KNOWN_FORMATS } from '../../src/backtest/known-formats.js'
import type { ReplayRules } from '../../src/judge/index.js'
import { claudeLine, histories } from './history.js'

async function reportOf(files: Readonly<Record<string, readonly object[]>>, rules: ReplayRules = {}) {
  return runBacktest({ files: findHistories([histories(files)]), rules })
}

const HOSTILE = 'x\u001b[2J\u202e</td><script>alert(1)</script>'

it('escapes everything from a history, in the terminal and on the page', async () => {
  const report = await reportOf({
    'a.jsonl': [
      claudeLine(HOSTILE, {}, { sessionId: HOSTILE, cwd: `/home/${HOSTILE}` }),
      claudeLine('Bash', { command: `rm '${HOSTILE}'` }),
      claudeLine('Write', { file_path: `/etc/${HOSTILE}` }),
      claudeLine('Read', { file_path: `/home/ada/.ssh/${HOSTILE}` }),
    ],
  })
  const text = renderText(report)
  expect(text).toContain('U+202E')
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
  const page = renderPage(report)
  expect(page).not.toContain('<script')
  expect(page).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/)
  expect(page).toContain("default-src 'none'")
  expect(page).not.toMatch(/(?:src|href)=/)
})

it('counts questions once for the same call, sessions, files and classes', async () => {
  const report = await reportOf(
    {
      'a.jsonl': [
        claudeLine('Bash', { command: 'rm -rf dist' }),
        claudeLine('Bash', { command: 'rm -rf dist' }),
        claudeLine('Edit', { file_path: 'src/a.ts' }),
        claudeLine('Edit', { file_path: '/home/ada/shop/src/a.ts' }),
        claudeLine('Bash', { command: 'rm -rf dist' }, { sessionId: 's2' }),
        claudeLine('Bash', { command: 'npm test && cat .env > /etc/x' }, { sessionId: 's2' }),
      ],
    },
    { policy: 'terminal: { classes: { destructive: ask, other: allow } }\n' },
  )
  expect(report.calls).toEqual({ all: 6, allowed: 0, staged: 3, asked: 3, refused: 0 })
  expect(report.prompts).toEqual({ mean: 1, median: 1, p95: 1, max: 1, total: 2, sessionsWithout: 0 })
  expect(report.sessions.map(({ id, files, commands, prompts }) => [id, files, commands, prompts])).toEqual([
    ['s1', 1, 0, 1],
    ['s2', 0, 1, 1],
  ])
  expect(report.classes).toMatchObject({ destructive: 3, 'build-test': 1, write: 1 })
  expect(report.rules).toEqual([{ rule: 'destructive', outcome: 'asked', count: 3, examples: ['rm -rf dist'] }])
  expect(report.secrets.first).toEqual([{ name: '.env', count: 1 }])
  expect(report.outside.first).toEqual([{ name: '/etc/x', count: 1 }])
  expect(report.deletions).toEqual({ total: 3, first: [{ name: 'rm -rf dist', count: 3 }] })
})

it('shows no value of a secret', async () => {
  const values = ['AKIAQ2W3E4R5T6Y7U6A5', 'hunter2hunter2', 'ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'sw0rdf1sh']
  const commands = [
    `AWS_KEY=${values[0]} rm a`,
    `rm b --password ${values[1]}`,
    `git push https://ada:${values[2]}@example.org/x.git`,
    `curl -u ada:${values[3]} -X DELETE https://example.org && rm c`,
  ]
  const report = await reportOf({ 'a.jsonl': commands.map((command) => claudeLine('Bash', { command })) })
  expect(report.deletions.total).toBe(3)
  for (const value of values)
    expect(JSON.stringify(report) + renderPage(report) + renderText(report)).not.toContain(value)
})

it('reads only sessions of a directory, and reports when there are none', async () => {
  const files = findHistories([
    histories({ 'a.jsonl': [claudeLine('LS', {}), claudeLine('LS', {}, { sessionId: 's2', cwd: '/home/ada/shop2' })] }),
  ])
  const report = await runBacktest({ files, rules: {}, below: '/home/ada/shop' })
  expect(report.sessions.map(({ id }) => id)).toEqual(['s1'])
  expect(renderText(await runBacktest({ files, rules: {}, below: '/none' }))).toBe(
    "No session in 1 file began in the chosen directory. Left out: 2 tool calls of other sessions. Include them with '--below /'.\n",
  )
})

it('names the histories that it reads, also on its page, if a file has no tool call', async () => {
  const files = findHistories([`${histories({ 'notes.txt': 'Buy milk\n' })}/notes.txt`])
  const text = renderText(await runBacktest({ files, rules: {} }))
  expect(text).toContain(
    'No tool call was found in 1 file. 1 broken line left out.\n\nHistories that escrow backtest reads\n',
  )
  const page = readFileSync(new URL('../../docs/backtest.md', import.meta.url), 'utf8')
  for (const [client, place] of KNOWN_FORMATS) {
    expect(text).toContain(`${client.padEnd(15)}  ${place}`)
    const row = page.split('\n').find((line) => line.startsWith(`| ${client} `))
    for (const [name] of place.matchAll(/[~.]\/?[\w./*-]{6,}|api_\w+\.json/g)) expect(row).toContain(name)
  }
})

it('fits the terminal', async () => {
  const report = await reportOf({ 'a.jsonl': [claudeLine('Bash', { command: `rm ${'long/'.repeat(40)}` })] })
  for (const line of renderText(report, { columns: 60 }).split('\n').slice(1))
    if (/^ {2}/.test(line)) expect(line.length).toBeLessThanOrEqual(60)
})

it('draws no bars beyond the highest number of questions and files', async () => {
  const page = renderPage(
    await reportOf({
      'a.jsonl': ['a', 'b', 'c'].map((name) =>
        claudeLine('Write', { file_path: `/home/ada/shop/${name}`, content: '' }),
      ),
    }),
  )
  expect([...page.matchAll(/scope="row">(\d[^<]*)</g)].map(([, name]) => name)).toEqual(['0', '0', '1', '2 to 4'])
})
