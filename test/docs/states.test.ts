import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ONE_INTENT, withScratchWorkspace } from '../../scripts/docs/scratch.js'
import type { CommitProgress } from '../../src/index.js'
import { stateOf } from '../support/state.js'
import { project } from './reader.js'

const FILES = { '.orchestration/active_intents.yaml': ONE_INTENT, 'src/a.js': 'one\n', 'src/b.js': 'one\n' }
const text = fs.readFileSync(`${project}docs/STATE_MACHINE.md`, 'utf8')

/** Extracts a section of the document. */
const section = (heading: string) => text.split(/^## /m).find((each) => each.startsWith(heading)) ?? ''
/** The first cells of a section's last table. */
const firstCells = (heading: string) =>
  [...section(heading).matchAll(/^\| ([^|]+?) +\|/gm)].map((match) => match[1]).filter((cell) => !cell?.startsWith('-'))

describe('the states of a session', () => {
  it('match the table, as the workspace reports them', async () => {
    expect(firstCells('A session')).toEqual(['state', 'live', 'at rest', 'damaged'])
    await withScratchWorkspace(FILES, async (workspace) => {
      const session = await workspace.session({ id: 'it' })
      await session.selectIntent('INT-001')
      session.fs.writeFileSync('src/a.js', 'two\n')
      const summary = async () => (await workspace.sessions())[0]
      expect(await summary()).toMatchObject({ live: true, changes: 1 })
      await session.close()
      expect(await summary()).toMatchObject({ live: false, changes: 1 })
      const log = `${stateOf(workspace.root)}/sessions/it/stage.log`
      fs.writeFileSync(
        log,
        fs.readFileSync(log, 'utf8').replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
      )
      expect(await summary()).toMatchObject({ live: false, damaged: expect.stringContaining('line 1') })
      await expect(workspace.session({ id: 'it' })).rejects.toThrow('damaged')
      await expect(workspace.review('it').then((review) => review.changes())).rejects.toThrow('damaged')
      await expect(workspace.review('it').then((review) => review.commit())).rejects.toThrow('damaged')
    })
  })
})

describe('the states of a commit', () => {
  it('are reported in the order of the table, and leave the documented files', async () => {
    const phases: CommitProgress['phase'][] = []
    await withScratchWorkspace(FILES, async (workspace) => {
      const session = await workspace.session({ id: 'it' })
      await session.selectIntent('INT-001')
      session.fs.writeFileSync('src/a.js', 'two\n')
      const review = await workspace.review('it')
      await review.approve(undefined, { name: 'Ada' })
      const state = stateOf(workspace.root)
      const { seq } = await review.commit({
        onProgress: ({ phase }) => {
          phases.push(phase)
          expect([phase, fs.existsSync(`${state}/commits/1`)]).toEqual([phase, phase === 'applying'])
        },
      })
      expect([seq, fs.readdirSync(`${state}/commits`)]).toEqual([1, ['1.done']])
      expect(fs.readdirSync(`${workspace.root}/.orchestration/tx`)).toEqual([expect.stringMatching(/^1-/)])
    })
    const shown = firstCells('A commit').map((cell) => cell?.replaceAll('`', ''))
    expect(shown).toEqual(['phase', ...new Set(phases), 'finished'])
  })

  it('start with the refusal of the whole commit if one change has drifted', async () => {
    await withScratchWorkspace(FILES, async (workspace) => {
      const session = await workspace.session({ id: 'it' })
      await session.selectIntent('INT-001')
      for (const name of ['src/a.js', 'src/b.js']) session.fs.writeFileSync(name, 'two\n')
      const review = await workspace.review('it')
      await review.approve(undefined, { name: 'Ada' })
      fs.writeFileSync(`${workspace.root}/src/a.js`, 'another\n')
      const { changes } = await review.changes()
      expect(changes.map(({ state, flags }) => [state, flags])).toEqual([
        ['approved', ['drifted']],
        ['approved', []],
      ])
      await expect(review.commit()).rejects.toMatchObject({ reason: 'stale_file' })
      expect(fs.readFileSync(`${workspace.root}/src/b.js`, 'utf8')).toBe('one\n')
    })
  })
})
