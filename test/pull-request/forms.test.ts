import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  badge,
  codeQuality,
  githubAnnotations,
  holds,
  type PullRequestReport,
  readForgeEvent,
  renderSummary,
} from '../../src/pull-request/index.js'
import { tempDir } from '../support/facade.js'

const NOTHING = { problems: [], notes: [], files: [], records: 3, signed: 0 }

function reportOf(path: string, unapproved: number[], more: Partial<PullRequestReport> = {}): PullRequestReport {
  const names = { models: new Set(['m']), intents: new Set(['INT-001']), approvers: new Set(['Ada']) }
  return { ...NOTHING, files: [{ path, lines: 9, agent: 5, ...names, unapproved }], ...more }
}

describe('annotations for GitHub', () => {
  it('name each range of unapproved lines, and problems of the ledger', () => {
    const report = reportOf('src/a.ts', [2, 3, 7], { problems: ['The ledger is gone.'] })
    expect(githubAnnotations(report).split('\n')).toEqual([
      '::error title=Ledger::The ledger is gone.',
      expect.stringMatching(/^::error file=src\/a\.ts,line=2,endLine=3,title=Not approved::An agent wrote this/),
      expect.stringMatching(/^::error file=src\/a\.ts,line=7,endLine=7,/),
      '',
    ])
    expect(githubAnnotations(reportOf('src/a.ts', []))).toBe('')
  })

  it('keep a file name from being a command, and the summary too', () => {
    const report = reportOf('a\n::add-mask::x,line=1:%0A.ts', [1], { problems: ['x\n::stop-commands::y'] })
    for (const line of `${renderSummary(report)}\n${githubAnnotations(report)}`.split('\n'))
      expect(line).not.toMatch(/^\s*::(?!error (?:file|title)=)/)
    expect(githubAnnotations(report)).toContain('file=a%0A%3A%3Aadd-mask%3A%3Ax%2Cline=1%3A%250A.ts,line=1')
  })
})

describe('the report for GitLab', () => {
  it('has a separate place and fingerprint for each range', () => {
    const found = JSON.parse(codeQuality(reportOf('src/a.ts', [1, 2, 9], { problems: ['The ledger is gone.'] })))
    expect(found).toMatchObject([
      { description: 'The ledger is gone.', location: { path: '.orchestration/agent_trace.jsonl' } },
      { check_name: 'escrow-ci', severity: 'blocker', location: { path: 'src/a.ts', lines: { begin: 1, end: 2 } } },
      { location: { lines: { begin: 9, end: 9 } } },
    ])
    expect(new Set(found.map(({ fingerprint }: { fingerprint: string }) => fingerprint)).size).toBe(3)
    expect(codeQuality(NOTHING)).toBe('[]\n')
  })
})

it.each([
  [reportOf('a', []), '5 approved', true],
  [reportOf('a', [1, 2]), '2 unapproved', false],
  [reportOf('a', [], { problems: ['cut'] }), 'ledger broken', false],
])('the badge shows the result: %#', (report, text, isGood) => {
  expect(badge(report)).toContain(`<title>agent lines: ${text}</title>`)
  expect(holds(report)).toBe(isGood)
})

describe('the event of a forge', () => {
  const github = (event: unknown) => {
    const { path, dispose } = tempDir()
    onTestFinished(dispose)
    writeFileSync(join(path, 'event.json'), JSON.stringify(event))
    return { GITHUB_ACTIONS: 'true', GITHUB_EVENT_PATH: join(path, 'event.json'), GITHUB_STEP_SUMMARY: '/s' }
  }

  it('is a pull request of GitHub or a merge request of GitLab', () => {
    const event = { pull_request: { base: { sha: 'b' }, head: { sha: 'h' } } }
    expect(readForgeEvent(github(event))).toEqual({ forge: 'github', base: 'b', head: 'h', summary: '/s' })
    expect(readForgeEvent({ GITLAB_CI: 'true', CI_MERGE_REQUEST_DIFF_BASE_SHA: 'b', CI_COMMIT_SHA: 'h' })).toEqual({
      forge: 'gitlab',
      base: 'b',
      head: 'h',
    })
  })

  it.each([{}, { after: 'x' }, { pull_request: {} }, null])('is none for %j', (event) => {
    expect(readForgeEvent(github(event))).toBeUndefined()
    expect(readForgeEvent({ GITLAB_CI: 'true', CI_COMMIT_SHA: 'h' })).toBeUndefined()
    expect(readForgeEvent({})).toBeUndefined()
  })
})
