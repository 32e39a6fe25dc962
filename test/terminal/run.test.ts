import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Session } from '../../src/index.js'
import { startChild } from '../children/run.js'
import { countProcesses } from '../support/processes.js'
import { INTENTS } from '../support/workspace.js'
import { site } from './site.js'

/** Waits until a path is staged. */
async function waitUntilStaged(session: Session, path: string): Promise<void> {
  while (!(await session.changes()).changes.some((change) => change.path === path)) await wait(10)
}

describe('a program run in this terminal', () => {
  it('is staged while it runs, can be reviewed and committed meanwhile, and continues', async () => {
    const { session, workspace, text } = await site({ 'src/a': 'a\n' })
    const over = session.run('echo 1 >> src/a; until [ -e src/go ]; do sleep 0.02; done; echo 2 >> src/a; exit 5', {
      every: 20,
    })
    await waitUntilStaged(session, 'src/a')
    const review = await workspace.review('agent')
    await review.approve()
    expect((await review.commit()).committed).toEqual(['src/a'])
    expect(text('src/a')).toBe('a\n1\n')
    const [command] = await session.commands()
    expect(command?.state).toBe('running')
    expect(command?.kill('SIGTERM')).toBe(true)
    const { exitCode, refused } = await over
    expect([exitCode, refused]).toEqual([128 + 15, []])
    expect((await session.changes()).changes).toEqual([])
  })

  it('is committed only as it was ingested: its later writes need a separate verdict', async () => {
    const { session, workspace, text } = await site({ 'src/a': 'a\n' })
    const over = session.run(`trap 'echo 2 >> src/a; exit 0' TERM; echo 1 >> src/a; while :; do sleep 0.02; done`, {
      every: 20,
    })
    await waitUntilStaged(session, 'src/a')
    const review = await workspace.review('agent')
    await review.approve()
    ;(await session.commands())[0]?.kill()
    expect((await over).exitCode).toBe(0)
    await review.commit()
    expect(text('src/a')).toBe('a\n')
    expect((await session.changes()).changes.map(({ path, state }) => [path, state])).toEqual([['src/a', 'pending']])
  })

  it('reports refused paths at its end, and is ended by a signal of its caller', async () => {
    const { session } = await site({ 'src/a.ts': 'a\n', 'mail/m.ts': 'm\n' }, INTENTS)
    const controller = new AbortController()
    const over = session.run('rm mail/m.ts; echo x > src/b.ts; sleep 60', { every: 20, signal: controller.signal })
    await waitUntilStaged(session, 'src/b.ts')
    controller.abort()
    const { exitCode, ended, refused, summary } = await over
    expect([exitCode, ended, refused.map(({ path }) => path)]).toEqual([null, 'aborted', ['mail/m.ts']])
    expect(summary).toBe('refused (scope_violation): mail/m.ts\ncreated: src/b.ts')
  })

  it('leaves no process behind when its host is killed', async () => {
    const { session, root, workspace } = await site()
    await session.close()
    await workspace.close()
    const mark = `escrowfs-${process.pid}-program`
    const child = startChild('running-program.ts', root, `echo here; sh -c 'sleep 61; : ${mark}'`)
    expect(await child.line()).toBe('here')
    expect(countProcesses(mark)).toBeGreaterThan(0)
    await child.kill()
    for (let i = 0; i < 100 && countProcesses(mark) > 0; i++) await wait(20)
    expect(countProcesses(mark)).toBe(0)
  })
})
