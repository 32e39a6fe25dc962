import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { ReleaseOptions, Session } from '../../src/index.js'
import { metadataOf, recordsOf, startSession, testWorkspace } from '../support/workspace.js'

const CODE = 'export function price(amount) {\n  const tax = amount * 0.19\n  return amount + tax\n}\n'
const RENAMED = CODE.replaceAll('tax', 'vat')
const FILES = { 'src/price.js': CODE, 'docs/guide.md': '# Prices\n', 'docs/rate.txt': 'low\n' }
const intents = (check: string) => `active_intents:
  - id: INT-001
    name: Prices
    status: IN_PROGRESS
    owned_scope: ["**"]
    acceptance_criteria:
      - run: ${JSON.stringify(check)}
`
const policy = (hold = 0) => `approval:
  auto:
    tiers:
      - { name: docs, paths: ["docs/**"], classes: [documentation], max_files: 5, max_lines: 50, requires: [no_link], hold: ${hold} }
      - { name: refactor, paths: ["src/**"], classes: [refactor], max_files: 5, max_lines: 50 }
`

async function begin({ check = 'echo on', hold = 0 } = {}) {
  const project = testWorkspace(FILES, intents(check))
  project.write('.orchestration/policy.yaml', policy(hold))
  const workspace = await project.open()
  const session = await startSession(workspace)
  const release = async (options: ReleaseOptions = {}, id = session.id) => (await workspace.review(id)).release(options)
  return { project, workspace, session, release }
}

/** The agent's action as soon as a check prints something. */
function whileChecking(act: () => void): ReleaseOptions {
  let done = false
  return {
    onOutput: () => {
      if (!done) act()
      done = true
    },
  }
}

function later(minutes: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + minutes * 60_000 })
  onTestFinished(() => void vi.useRealTimers())
}

function write(session: Session, path: string, text: string): void {
  session.fs.writeFileSync(path, text)
}

describe('a release by rule', () => {
  it('commits nothing if the stage changed after its checks saw it', async () => {
    const { project, session, release } = await begin()
    write(session, 'src/price.js', RENAMED)
    write(session, 'docs/guide.md', '# Prices\n\nWith tax.\n')
    const report = await release(whileChecking(() => write(session, 'docs/guide.md', 'Something else\n')))
    expect(report.commit).toBeUndefined()
    expect(report.stopped).toMatch(/changed/)
    expect([project.text('src/price.js'), project.text('docs/guide.md')]).toEqual([CODE, '# Prices\n'])
  })

  it('commits no bytes whose approval was restored after the decision', async () => {
    const { project, session, release } = await begin({ hold: 30 })
    const early = '# Prices\n\nWith tax.\n'
    write(session, 'docs/guide.md', early)
    expect((await release()).approved).toEqual(['docs/guide.md'])
    later(31)
    write(session, 'docs/guide.md', 'line\n'.repeat(60))
    write(session, 'src/price.js', RENAMED)
    const report = await release(whileChecking(() => write(session, 'docs/guide.md', early)))
    expect(report.commit).toBeUndefined()
    expect([project.text('src/price.js'), project.text('docs/guide.md')]).toEqual([CODE, '# Prices\n'])
  })

  it('runs its checks itself: evidence that an agent asked for may be from another disk', async () => {
    const { project, session, release, workspace } = await begin({ check: 'grep -q low docs/rate.txt' })
    write(session, 'src/price.js', RENAMED)
    expect((await session.check()).checks).toMatchObject([{ state: 'passed' }])
    project.write('docs/rate.txt', 'high\n')
    expect(await release()).toMatchObject({ approved: [], stopped: expect.stringContaining('not green') })
    expect(project.text('src/price.js')).toBe(CODE)
    project.write('docs/rate.txt', 'low\n')
    const { commit, evidence } = await release()
    expect(commit?.paths).toEqual(['src/price.js'])
    const runs = (await recordsOf(workspace)).map(metadataOf).filter(({ type }) => type === 'check')
    expect([runs.length, evidence]).toEqual([3, [runs.at(-1)?.check]])
  })

  it('commits nothing if another commit changed the workspace while its checks ran', async () => {
    // The check ends once the other commit is on the disk that it sees.
    const { project, session, release, workspace } = await begin({
      check: 'echo on; until ls docs | grep -q other.md; do sleep 0.05; done',
    })
    write(session, 'src/price.js', RENAMED)
    const other = await startSession(workspace, 'other')
    write(other, 'docs/other.md', 'Other\n')
    const released: Promise<unknown>[] = []
    const report = await release(whileChecking(() => void released.push(release({}, 'other'))))
    expect(await Promise.all(released)).toMatchObject([{ commit: { paths: ['docs/other.md'] } }])
    expect(report).toMatchObject({ stopped: expect.stringContaining('another commit') })
    expect(report.commit).toBeUndefined()
    expect(project.text('src/price.js')).toBe(CODE)
    expect((await release()).commit?.paths).toEqual(['src/price.js'])
  })
})
