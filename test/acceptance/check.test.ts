import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { TraceRecord } from '../../src/core/api.js'
import { layoutAt } from '../../src/os/workspace-state.js'
import { ownRecordOf } from '../../src/trace/own-record.js'
import { startSession, testWorkspace } from '../support/workspace.js'

const intentsWith = (criteria: string) => `active_intents:
  - id: INT-001
    name: Prices
    status: IN_PROGRESS
    owned_scope: ["src/**"]
    acceptance_criteria:
      - Prices are integers
${criteria}`

const FILES = {
  'src/a.txt': 'one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n',
  'src/b.txt': 'b\n',
  'README.md': 'r\n',
}

async function setUpCheck(criteria: string, files: Readonly<Record<string, string>> = FILES) {
  const project = testWorkspace(files, intentsWith(criteria))
  const workspace = await project.open()
  const session = await startSession(workspace)
  return { project, workspace, session, review: await workspace.review(session.id) }
}

const RUN_GREP = '      - run: grep -q new src/a.txt\n'

describe('review.check', () => {
  it('runs an accepted check on the disk with the staged changes, and keeps evidence', async () => {
    const { review, session, project, workspace } = await setUpCheck(
      '      - run: "cat src/a.txt README.md; echo told >&2; node --version >/dev/null"\n',
    )
    session.fs.writeFileSync('src/a.txt', 'new\n')
    expect((await review.checks()).checks).toMatchObject([{ state: 'not run' }])
    const report = await review.check({ by: { name: 'Ada' } })
    expect(report.selection).toBe('all')
    const [status] = report.checks
    expect(status).toMatchObject({
      intentId: 'INT-001',
      state: 'passed',
      evidence: { exitCode: 0, isolation: 'sandbox', tree: report.tree, askedBy: { person: { name: 'Ada' } } },
    })
    expect(status?.evidence?.output).toMatch(/^(new\nr\ntold|told\nnew\nr)\n$/)
    expect(await review.checks()).toEqual(report)
    expect(project.text('src/a.txt')).toBe(FILES['src/a.txt'])
    const records: TraceRecord[] = []
    for await (const each of workspace.ledger.records()) if (ownRecordOf(each, 'check')) records.push(each)
    const [record] = records
    expect(record).toMatchObject({ metadata: { 'dev.escrowfs': { exit_code: 0, tree: report.tree } } })
  })

  it('sees the approved hunks alone, as they would be committed', async () => {
    const { review, session } = await setUpCheck('      - run: cat src/a.txt\n')
    const text = FILES['src/a.txt'].replace('one', 'ONE').replace('nine', 'NINE')
    session.fs.writeFileSync('src/a.txt', text)
    session.fs.writeFileSync('src/b.txt', 'not approved\n')
    const { changes } = await review.changes()
    const [first] = changes.find(({ path }) => path === 'src/a.txt')?.hunks ?? []
    await review.approve({ hunks: [first?.id ?? ''] })
    const { selection, checks } = await review.check()
    expect(selection).toBe('approved')
    expect(checks[0]?.evidence?.output).toBe(FILES['src/a.txt'].replace('one', 'ONE'))
    const all = await review.check({ selection: 'all' })
    expect(all.checks[0]?.evidence?.output).toBe(text)
    // Both stay valid, each for its own bytes.
    expect((await review.checks('approved')).checks[0]?.state).toBe('passed')
    expect((await review.checks('all')).checks[0]?.state).toBe('passed')
    expect((await review.commit()).committed).toEqual(['src/a.txt'])
  })

  it('builds deletions, renames, links, modes and new directories as the commit writes them', async () => {
    const line = 'find src -printf "%p %m %l\\\\n" | sort; cat src/new/deep/c.txt'
    const { review, session, project } = await setUpCheck(`      - run: '${line.replaceAll('\\\\', '\\')}'\n`, {
      ...FILES,
      'src/old/x.txt': 'x\n',
      'src/old/y.txt': 'y\n',
      'src/gone/z.txt': 'z\n',
    })
    session.fs.rmSync('src/gone', { recursive: true })
    session.fs.renameSync('src/old', 'src/moved')
    session.fs.writeFileSync('src/moved/x.txt', 'changed\n')
    session.fs.mkdirSync('src/new/deep', { recursive: true })
    session.fs.writeFileSync('src/new/deep/c.txt', 'c\n')
    session.fs.symlinkSync('b.txt', 'src/link')
    session.fs.chmodSync('src/b.txt', 0o755)
    session.fs.renameSync('src/a.txt', 'src/renamed.txt')
    const { checks } = await review.check()
    expect(checks[0]).toMatchObject({ state: 'passed' })
    await review.approve()
    await review.commit()
    const after = await session.exec(`${line.replaceAll('\\\\', '\\')}`)
    expect(checks[0]?.evidence?.output).toBe(after.stdout)
    expect(project.text('src/moved/x.txt')).toBe('changed\n')
  })

  it('discards what a check writes: neither the stage nor the next check sees it', async () => {
    const { review, session, project } = await setUpCheck(
      '      - run: echo x > src/written.txt && echo y > src/a.txt\n      - run: test ! -e src/written.txt\n',
    )
    session.fs.writeFileSync('src/a.txt', 'new\n')
    const { checks } = await review.check()
    expect(checks.map(({ state }) => state)).toEqual(['passed', 'passed'])
    expect((await review.changes()).changes.map(({ path }) => path)).toEqual(['src/a.txt'])
    expect(session.fs.readFileSync('src/a.txt', 'utf8')).toBe('new\n')
    expect(() => project.text('src/written.txt')).toThrow(/ENOENT/)
  })

  it('reports a failure, with the exit code and the end of a long output', async () => {
    const { review, session } = await setUpCheck('      - run: seq 1 40000; exit 3\n')
    session.fs.writeFileSync('src/a.txt', 'new\n')
    const [status] = (await review.check()).checks
    expect(status).toMatchObject({ state: 'failed', evidence: { exitCode: 3, truncated: true } })
    expect(status?.evidence?.output).toMatch(/^1\n2\n.*bytes dropped.*\n40000\n$/s)
    expect(Buffer.byteLength(status?.evidence?.output ?? '')).toBeLessThan(66 * 1024)
  })

  it('fails a check that takes longer than its timeout', async () => {
    const { review, session } = await setUpCheck('      - run: sleep 60\n        timeout: 1\n')
    session.fs.writeFileSync('src/a.txt', 'new\n')
    expect((await review.check()).checks).toMatchObject([
      { state: 'failed', evidence: { exitCode: null, ended: 'timeout' } },
    ])
  })

  it('stops on its signal, and keeps no evidence of a stopped check', async () => {
    const { review, session } = await setUpCheck('      - run: echo begun; sleep 60\n')
    session.fs.writeFileSync('src/a.txt', 'new\n')
    const controller = new AbortController()
    const stopped = review.check({
      signal: controller.signal,
      onOutput: () => controller.abort(new Error('enough')),
    })
    await expect(stopped).rejects.toThrow('enough')
    expect((await review.checks()).checks).toMatchObject([{ state: 'not run' }])
  })

  it('runs checks of several selections side by side', async () => {
    const { review, session } = await setUpCheck('      - run: cat src/a.txt\n')
    session.fs.writeFileSync('src/a.txt', 'new\n')
    session.fs.writeFileSync('src/b.txt', 'other\n')
    await review.changes()
    await review.approve(['src/b.txt'])
    const [approved, all] = await Promise.all([review.check(), review.check({ selection: 'all' })])
    expect(approved.checks[0]?.evidence?.output).toBe(FILES['src/a.txt'])
    expect(all.checks[0]?.evidence?.output).toBe('new\n')
  })

  it('leaves out a check whose globs match no selected change', async () => {
    const { review, session } = await setUpCheck('      - run: "true"\n        paths: ["src/b.*"]\n')
    session.fs.writeFileSync('src/a.txt', 'new\n')
    expect((await review.check()).checks).toEqual([])
    session.fs.writeFileSync('src/b.txt', 'new\n')
    expect((await review.check()).checks).toMatchObject([{ state: 'passed' }])
  })

  it('has no network without hosts, and no secrets', async () => {
    const { review, session } = await setUpCheck(
      '      - run: "test ! -e .env && test -z \\"$(ls /sys/class/net | grep -v lo)\\"; ls -a; cat src/a.txt"\n',
      { ...FILES, '.env': 'TOKEN=hidden-value-1234\n' },
    )
    session.fs.writeFileSync('src/a.txt', 'printed hidden-value-1234 and ghp_abcdefghijklmnopqrst\n')
    const [status] = (await review.check()).checks
    expect(status?.evidence?.output).toContain('printed ••• and •••\n')
    expect(status?.evidence?.output).not.toContain('.env\n')
  })

  it('refuses an empty selection and a drifted change', async () => {
    const { review, session, project } = await setUpCheck(RUN_GREP)
    await expect(review.check()).rejects.toMatchObject({ reason: 'nothing_selected' })
    session.fs.writeFileSync('src/a.txt', 'new\n')
    project.write('src/a.txt', 'another\n')
    await expect(review.check()).rejects.toMatchObject({ reason: 'stale_file', refused: [{ path: 'src/a.txt' }] })
  })
})

describe('evidence', () => {
  async function setUpPassedCheck() {
    const all = await setUpCheck(RUN_GREP)
    all.session.fs.writeFileSync('src/a.txt', 'new\n')
    expect((await all.review.check()).checks).toMatchObject([{ state: 'passed' }])
    const state = async () => (await all.review.checks()).checks.map((each) => each.state)
    return { ...all, state }
  }

  it('is stale when a byte of the selection differs, and valid again for the same bytes', async () => {
    const { session, state } = await setUpPassedCheck()
    session.fs.writeFileSync('src/a.txt', 'new!\n')
    expect(await state()).toEqual(['stale'])
    session.fs.writeFileSync('src/a.txt', 'new\n')
    expect(await state()).toEqual(['passed'])
    session.fs.writeFileSync('src/b.txt', 'one more\n')
    expect(await state()).toEqual(['stale'])
  })

  it('is stale when a mode differs', async () => {
    const { session, state } = await setUpPassedCheck()
    session.fs.chmodSync('src/a.txt', 0o755)
    expect(await state()).toEqual(['stale'])
  })

  it('is stale when a base differs', async () => {
    const { project, state } = await setUpPassedCheck()
    project.write('src/a.txt', 'of another program\n')
    expect(await state()).toEqual(['stale'])
    project.write('src/a.txt', FILES['src/a.txt'])
    expect(await state()).toEqual(['passed'])
  })

  it('is stale when the command differs', async () => {
    const { workspace, review } = await setUpPassedCheck()
    await workspace.intents.edit('INT-001', { checks: [{ run: 'grep -q newer src/a.txt' }] })
    expect((await review.checks()).checks).toMatchObject([
      {
        state: 'stale',
        check: { run: 'grep -q newer src/a.txt' },
        evidence: { check: { run: 'grep -q new src/a.txt' } },
      },
    ])
  })

  it('is not accepted from the ledger file', async () => {
    const { project, review, session, workspace } = await setUpCheck('      - run: "false"\n')
    session.fs.writeFileSync('src/a.txt', 'new\n')
    const { tree, checks } = await review.check()
    expect(checks).toMatchObject([{ state: 'failed' }])
    const path = '.orchestration/agent_trace.jsonl'
    const lines = project.text(path)
    writeFileSync(join(project.root, path), lines.replace('"exit_code":1', '"exit_code":0'))
    expect((await review.checks()).checks).toMatchObject([{ state: 'failed', evidence: { exitCode: 1, tree } }])
    expect((await workspace.ledger.verify()).ok).toBe(false)
    writeFileSync(join(project.root, path), lines)
  })

  it('is stored where neither the agent nor its commands can write', async () => {
    const { project, review, session } = await setUpPassedCheck()
    const { checks: file } = layoutAt(project.root).session(session.id)
    const before = readFileSync(file, 'utf8')
    const forged = before.replace('"exitCode":0', '"exitCode":9')
    expect(() => session.fs.writeFileSync(file, forged)).toThrow(/EACCES|EPERM/)
    expect(() => session.fs.writeFileSync('.orchestration/checks.json', forged)).toThrow(/EACCES|EPERM/)
    const { exitCode } = await session.exec(`echo x > ${file}`)
    expect(exitCode).not.toBe(0)
    expect(readFileSync(file, 'utf8')).toBe(before)
    expect((await review.checks()).checks).toMatchObject([{ state: 'passed' }])
  })

  it('is ignored in a damaged file', async () => {
    const { project, review, session } = await setUpPassedCheck()
    writeFileSync(layoutAt(project.root).session(session.id).checks, '{"version":1,"runs":[{}]}')
    await expect(review.checks()).rejects.toMatchObject({ reason: 'ledger_corrupt' })
    await expect(review.check()).rejects.toMatchObject({ reason: 'ledger_corrupt' })
  })
})

describe('session.check', () => {
  it('runs on everything that is staged, and the evidence says that the session asked', async () => {
    const { review, session } = await setUpCheck('      - run: cat src/a.txt\n')
    session.fs.writeFileSync('src/a.txt', 'new\n')
    session.fs.writeFileSync('src/b.txt', 'approved\n')
    await review.changes()
    await review.approve(['src/b.txt'])
    const { selection, checks } = await session.check()
    expect(selection).toBe('all')
    expect(checks).toMatchObject([{ state: 'passed', evidence: { output: 'new\n', askedBy: { session: session.id } } }])
  })

  it('stops when the session closes', async () => {
    const { review, session } = await setUpCheck('      - run: echo begun; sleep 60\n')
    session.fs.writeFileSync('src/a.txt', 'new\n')
    let stopped: Promise<void> | undefined
    await new Promise<void>((begun) => {
      stopped = expect(session.check({ onOutput: () => begun() })).rejects.toMatchObject({ reason: 'session_busy' })
    })
    await session.close()
    await stopped
    expect((await review.checks()).checks).toMatchObject([{ state: 'not run' }])
  })
})

describe('a check that nobody has accepted on this machine', () => {
  it('does not run', async () => {
    const { project, review, session } = await setUpCheck(RUN_GREP)
    session.fs.writeFileSync('src/a.txt', 'new\n')
    const path = join(project.root, '.orchestration/active_intents.yaml')
    writeFileSync(path, intentsWith('      - run: "echo hostile > /tmp/x"\n'))
    const { checks } = await review.check()
    expect(checks.map(({ check }) => check.run)).toEqual(['grep -q new src/a.txt'])
  })
})
