import fs from 'node:fs'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { stateOf } from '../support/state.js'
import { INTENTS, metadataOf, reasonOf, recordsOf } from '../support/workspace.js'
import { site } from '../terminal/site.js'

const FILES = { 'src/a.ts': 'a\n', 'mail/m.ts': 'm\n', 'docs/d.md': 'd\n', 'docs/sub/e.md': 'e\n' }

/** A session whose command wrote refused paths, and its review. */
async function runRefused(command: string) {
  const fixture = await site(FILES, INTENTS)
  await fixture.session.exec(command)
  return { ...fixture, review: await fixture.workspace.review('agent') }
}

describe('quarantined effects', () => {
  it('are listed, and can be staged only once the scope was widened', async () => {
    const { review, session, workspace, root, text } = await runRefused(
      'echo y >> mail/m.ts; rm -r docs; mkdir -p new/dir; echo n > new/dir/f; ln -s f new/dir/l; chmod 755 new/dir/f',
    )
    const listed = await review.quarantined()
    expect(listed.map(({ kind, path }) => `${kind} ${path}`).sort()).toEqual([
      'dir new',
      'dir new/dir',
      'file mail/m.ts',
      'file new/dir/f',
      'gone docs/d.md',
      'gone docs/sub/e.md',
      'symlink new/dir/l',
    ])
    for (const { reason, intentId, canBeTaken, at } of listed) {
      expect([reason, intentId, canBeTaken]).toEqual(['scope_violation', 'INT-001', true])
      expect(Number.isNaN(Date.parse(at))).toBe(false)
    }
    const early = await review.takeQuarantined(['mail/m.ts'], { name: 'Ada' })
    expect([early.taken, early.refused.map(({ reason }) => reason)]).toEqual([[], ['scope_violation']])
    expect((await review.quarantined()).length).toBe(listed.length)

    await workspace.intents.expandScope('INT-001', ['mail/**', 'docs/**', 'new/**'])
    const late = await review.takeQuarantined(['mail/m.ts', 'docs', 'new/dir/**'], { name: 'Ada' })
    expect(late).toEqual({
      taken: ['docs/d.md', 'docs/sub/e.md', 'mail/m.ts', 'new/dir', 'new/dir/f', 'new/dir/l'],
      refused: [],
    })
    expect(session.fs.readFileSync(`${root}/mail/m.ts`, 'utf8')).toBe('m\ny\n')
    expect(session.fs.statSync(`${root}/new/dir/f`).mode & 0o777).toBe(0o755)
    expect(text('mail/m.ts')).toBe('m\n')
    const { changes } = await review.changes()
    expect(changes.every(({ state }) => state === 'pending')).toBe(true)
    expect(changes.map(({ path }) => path)).toContain('docs/sub/e.md')
    expect((await review.quarantined()).map(({ path }) => path)).toEqual(['new'])
    await review.approve()
    await review.commit()
    expect(text('mail/m.ts')).toBe('m\ny\n')
    const records = (await recordsOf(workspace)).map(metadataOf).filter(({ quarantine }) => quarantine !== undefined)
    expect(records.map(({ quarantine, reviewer }) => [quarantine, reviewer])).toEqual([['taken', { name: 'Ada' }]])
  })

  it('of a closed session are staged for their intent, which is cleared again', async () => {
    const { session, workspace } = await runRefused('echo y >> mail/m.ts')
    await session.close()
    await workspace.intents.expandScope('INT-001', ['mail/**'])
    const review = await workspace.review('agent')
    expect((await review.takeQuarantined('mail/m.ts')).taken).toEqual(['mail/m.ts'])
    const [change] = (await review.changes()).changes
    expect([change?.path, change?.intentId]).toEqual(['mail/m.ts', 'INT-001'])
    const again = await workspace.session({ id: 'agent' })
    expect(again.intent).toBeUndefined()
  })

  it('of work without an intent are staged for the intent that a person names, which is cleared again', async () => {
    const { workspace, session, root } = await runRefused('true')
    await session.selectIntent(null)
    await session.exec('echo y >> src/a.ts')
    const review = await workspace.review('agent')
    expect((await review.takeQuarantined('src/a.ts')).refused.map(({ reason }) => reason)).toEqual([
      'missing_intent_id',
    ])
    expect((await review.takeQuarantined('src/a.ts', { name: 'Ada' }, 'INT-001')).taken).toEqual(['src/a.ts'])
    expect((await review.changes()).changes.map(({ path, intentId }) => [path, intentId])).toEqual([
      ['src/a.ts', 'INT-001'],
    ])
    expect([session.intent, session.fs.readFileSync(`${root}/src/a.ts`, 'utf8')]).toEqual([undefined, 'a\ny\n'])
  })

  it("for a missing intent stay, the others are staged, and the session's intent is unchanged", async () => {
    const { review, session, workspace } = await runRefused('echo y >> mail/m.ts')
    await session.selectIntent('INT-002')
    await session.exec('echo z >> src/a.ts')
    await session.selectIntent(null)
    await workspace.intents.expandScope('INT-001', ['mail/**'])
    await workspace.intents.complete('INT-002')
    const { taken, refused: again } = await review.takeQuarantined(['mail/m.ts', 'src/a.ts'])
    expect([taken, again.map(({ path, reason }) => [path, reason])]).toEqual([
      ['mail/m.ts'],
      [['src/a.ts', 'intent_not_active']],
    ])
    expect(session.intent).toBeUndefined()
    expect((await review.quarantined()).map(({ path }) => path)).toEqual(['src/a.ts'])
  })

  it('are dropped with their content, and nothing is staged', async () => {
    const { review, root } = await runRefused('echo y >> mail/m.ts; echo z >> docs/d.md')
    const dir = `${stateOf(root)}/sessions/agent/quarantine`
    const [place = ''] = fs.readdirSync(dir)
    expect(fs.readdirSync(`${dir}/${place}`)).toHaveLength(3)
    expect(await review.dropQuarantined('mail')).toEqual(['mail/m.ts'])
    expect(fs.readdirSync(`${dir}/${place}`)).toHaveLength(2)
    expect(await review.dropQuarantined('**')).toEqual(['docs/d.md'])
    expect(fs.readdirSync(dir)).toEqual([])
    expect([await review.quarantined(), (await review.changes()).changes]).toEqual([[], []])
    expect(await reasonOf(() => review.dropQuarantined('mail'))).toBe('nothing_selected')
  })

  it('show the last of several writes to a path', async () => {
    const { review, session, workspace, root } = await runRefused('echo first > mail/m.ts')
    await session.exec('echo second > mail/m.ts')
    expect(await review.quarantined()).toHaveLength(2)
    await workspace.intents.expandScope('INT-001', ['mail/**'])
    await review.takeQuarantined('mail/m.ts')
    expect(session.fs.readFileSync(`${root}/mail/m.ts`, 'utf8')).toBe('second\n')
    expect(await review.quarantined()).toEqual([])
  })

  it('that cannot be staged are marked, and protected paths stay protected', async () => {
    const { review, workspace } = await runRefused(
      'mkfifo src/f; mkdir -p src/x/.git/hooks; echo x > src/x/.git/hooks/post-commit',
    )
    await workspace.intents.expandScope('INT-001', ['**'])
    expect((await review.quarantined()).map(({ path, canBeTaken }) => [path, canBeTaken])).toEqual([
      ['src/f', false],
      ['src/x/.git', false],
    ])
    const { taken, refused: again } = await review.takeQuarantined('**')
    expect([taken, again.map(({ reason }) => reason)]).toEqual([[], ['unsupported', 'unsupported']])
    expect((await review.quarantined()).length).toBe(2)
  })

  it('cannot be decided by an agent, and foreign lists are ignored', async () => {
    const { review, root } = await runRefused('echo y >> mail/m.ts')
    vi.stubEnv('ESCROW_SESSION', 'agent')
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(await reasonOf(() => review.takeQuarantined('mail/m.ts'))).toBe('access_denied')
    expect(await reasonOf(() => review.dropQuarantined('mail/m.ts'))).toBe('access_denied')
    vi.unstubAllEnvs()
    const dir = `${stateOf(root)}/sessions/agent/quarantine`
    const list = `${dir}/${fs.readdirSync(dir)[0]}/refused.json`
    const text = fs.readFileSync(list, 'utf8')
    for (const damaged of [text.replace('mail/m.ts', '../outside'), text.replace(/sha256-/, '../'), text.slice(1)]) {
      fs.writeFileSync(list, damaged)
      expect(await reasonOf(() => review.takeQuarantined('**'))).toBe('unsupported')
    }
  })
})
