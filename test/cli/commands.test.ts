import { describe, expect, it } from 'vitest'
import type { Question } from '../../src/core/api.js'
import { escrow, workspaceDir } from './harness.js'

describe('init', () => {
  it('makes the directory itself a workspace, even inside another workspace', async () => {
    const cwd = workspaceDir()
    const { code, out, calls } = await escrow(cwd, ['init', '-C', 'sub'])
    expect([code, calls]).toEqual([0, [['init', `${cwd}/sub`]]])
    expect(out).toContain('created  .orchestration/policy.yaml\nkept     .orchestration/.gitignore\n')
  })
})

describe('status', () => {
  it('reports an invalid policy.yaml, which refuses all writes', async () => {
    const problem = 'Policy Invalid: .orchestration/policy.yaml: unknown key `a\u001b`. All writes are refused.'
    const { out } = await escrow(workspaceDir(), ['status'], { problem })
    expect(out).toContain('Policy Invalid: .orchestration/policy.yaml: unknown key `a^[`. All writes are refused.\n')
    expect(out.match(/refused/g)).toHaveLength(1)
    expect((await escrow(workspaceDir(), ['status'])).out).not.toContain('refused')
  })

  const sessions = [{ id: 's1', live: true, changes: 3, agent: { model: 'gpt' } }]

  it('lists intents and sessions', async () => {
    const { out } = await escrow(workspaceDir(), ['status'], { sessions })
    expect(out).toContain('  INT-001  IN_PROGRESS  Billing\n')
    expect(out).toContain('  s1  live  3 staged  gpt\n')
  })

  it('prints one document', async () => {
    const cwd = workspaceDir()
    const { out } = await escrow(cwd, ['status', '--json'], { sessions })
    expect(JSON.parse(out)).toMatchObject({ root: cwd, intents: [{ id: 'INT-001' }], sessions })
  })
})

describe('snapshots', () => {
  const at = '2026-01-02T03:04:05.000Z'
  const snapshots = async () => [
    { id: 's1', at, callId: 'c\u001b1', tool: 'write_to_file' },
    { id: 's2', at, name: 'before lunch', parent: 's1' },
    { id: 's3', at, parent: 's2' },
  ]

  it('are listed, each with the call that followed it', async () => {
    const { out } = await escrow(workspaceDir(), ['snapshots', 'a'], { review: { snapshots } })
    expect(out.split('\n')).toEqual([
      expect.stringMatching(/^s1 {2}\S+ {2}before write_to_file c[^\u001b]+1$/),
      expect.stringMatching(/^s2 {2}\S+ {2}before lunch +from s1$/),
      expect.stringMatching(/^s3 {2}\S+ {2}before a travel +from s2$/),
      '',
    ])
    const asJson = await escrow(workspaceDir(), ['snapshots', 'a', '--json'], { review: { snapshots } })
    expect(JSON.parse(asJson.out)).toMatchObject({
      session: 'a',
      snapshots: [{ id: 's1' }, { id: 's2' }, { id: 's3' }],
    })
    expect((await escrow(workspaceDir(), ['snapshots', 'a'])).out).toBe('No snapshots.\n')
  })
})

describe('questions and answers', () => {
  const question = { kind: 'access' as const, id: 'q1', at: 'now', path: 'src/db/a.sql', rule: 'src/db' }
  const scope = {
    kind: 'scope' as const,
    id: 'q2',
    at: 'now',
    intentId: 'INT-001',
    globs: ['lib/**'],
    why: 'It is there.',
  }
  const command = {
    ...{ kind: 'command' as const, id: 'q3', at: 'now', command: 'rm \u001b[2J x', cwd: 'src', key: 'k' },
    ...{ rules: ['destructive' as const], why: 'destructive: rm x deletes files' },
  }
  const sessions = [{ id: 's1', live: true, changes: 0 }]
  const review = { questions: async () => [question, scope] }

  it('shows a command with its rules, and no control characters', async () => {
    const { out } = await escrow(workspaceDir(), ['questions'], {
      sessions,
      review: { questions: async () => [command] },
    })
    expect(out).not.toContain('\u001b')
    expect(out).toMatch(/may it run rm .* x in src\? \(destructive asks: destructive: rm x deletes files\)\n$/)
  })

  it('shows each line of a script that it asks about, and no control character', async () => {
    const command: Question = {
      id: 'q2',
      key: 'k',
      at: 'now',
      kind: 'command',
      command: 'set -e\nrm x\x1b',
      cwd: '',
      rules: ['other'],
      why: 'w',
    }
    const { out } = await escrow(workspaceDir(), ['questions'], {
      sessions,
      review: { questions: async () => [command] },
    })
    expect(out).toBe('s1  q2  may it run these 2 lines? (other asks: w)\n    set -e\n    rm x^[\n')
  })

  it('lists the questions of sessions, as text and as one document', async () => {
    const { out } = await escrow(workspaceDir(), ['questions'], { sessions, review })
    expect(out).toBe(
      's1  q1  may it write src/db/a.sql? (the rule src/db asks)\ns1  q2  may INT-001 own lib/** too? It says: It is there.\n',
    )
    const asJson = await escrow(workspaceDir(), ['questions', 's1', '--json'], { sessions, review })
    expect(JSON.parse(asJson.out)).toEqual({ questions: [question, scope].map((each) => ({ session: 's1', ...each })) })
    expect((await escrow(workspaceDir(), ['questions'], { sessions: [] })).out).toBe('No agent has an open question.\n')
  })

  it('records an answer with a reason and a reviewer', async () => {
    const argv = ['answer', 's1', 'q1', 'deny', '--reason', 'Use a migration.', '--by', 'Ada <ada@x.org>']
    const { code, calls, out } = await escrow(workspaceDir(), argv, { review })
    const by = { name: 'Ada', email: 'ada@x.org' }
    expect(calls).toContainEqual(['answer', 'q1', { answer: 'deny', words: 'Use a migration.', by }])
    expect([code, out]).toEqual([0, 'Answered: deny. The agent gets your answer with its next call in this session.\n'])
    expect((await escrow(workspaceDir(), ['answer', 's1', 'q1', 'perhaps'], { review })).code).not.toBe(0)
  })

  it('denies only with a reason', async () => {
    for (const more of [[], ['--reason', ' ']]) {
      const { code, err, calls } = await escrow(workspaceDir(), ['answer', 's1', 'q1', 'deny', ...more], { review })
      expect([code, calls]).toEqual([2, []])
      expect(err).toContain("'deny' needs '--reason TEXT'")
    }
  })

  it('accepts a unique id prefix', async () => {
    const long = { questions: async () => ['af4d-1', 'af4e-2', 'q1', 'q10'].map((id) => ({ ...question, id })) }
    const answer = (id: string) => escrow(workspaceDir(), ['answer', 's1', id, 'once'], { review: long })
    expect((await answer('af4d')).calls).toContainEqual(['answer', 'af4d-1', { answer: 'once' }])
    expect((await answer('q1')).calls).toContainEqual(['answer', 'q1', { answer: 'once' }])
    for (const [id, output] of [
      ['af4', "2 open questions have an id that begins with 'af4'. Nothing was answered."],
      ['b', "No open question has an id that begins with 'b'. Nothing was answered."],
      ['', "No open question has an id that begins with ''. Nothing was answered."],
    ] as const) {
      const { code, err, calls } = await answer(id)
      expect([code, calls.filter(([name]) => name === 'answer')]).toEqual([1, []])
      expect(err).toContain(output)
      expect(err).toContain("'escrow questions s1' lists them.")
    }
  })

  it('are counted by status, without damaged sessions', async () => {
    const both = [...sessions, { id: 's2', live: false, changes: 0, damaged: 'torn' }]
    expect((await escrow(workspaceDir(), ['status'], { sessions: both, review })).out).toContain(
      "2 questions for you: 'escrow questions'\n",
    )
    expect((await escrow(workspaceDir(), ['status'], { sessions })).out).not.toContain('for you')
  })
})
