import { describe, expect, it } from 'vitest'
import { flagReasons } from '../../src/surface/index.js'
import { site } from '../terminal/site.js'

/** The change of a path as its review shows it, with the reasons of its flags. */
async function flagsOf(path: string, write: (fs: Awaited<ReturnType<typeof site>>['session']['fs']) => void) {
  const { session, workspace } = await site()
  write(session.fs)
  await session.flush()
  const { changes } = await (await workspace.review(session.id)).changes()
  const change = changes.find((each) => each.path === path)
  return { flags: change?.flags, reasons: change && flagReasons(change) }
}

describe('a review', () => {
  it('flags lookalike letters in paths and added lines, and lists them', async () => {
    const path = 'src/\u0441onfig.ts'
    const { flags, reasons } = await flagsOf(path, (fs) => fs.writeFileSync(path, 'export const p\u0430ypal = 1\n'))
    expect(flags).toContain('confusable')
    expect(reasons).toEqual([
      'confusable: \u0441onfig mixes Latin and Cyrillic letters',
      'confusable: p\u0430ypal mixes Latin and Cyrillic letters',
    ])
  })

  it('explains the flag of a name that executes', async () => {
    const { flags, reasons } = await flagsOf('package.json', (fs) => fs.writeFileSync('package.json', '{}\n'))
    expect([flags, reasons]).toEqual([expect.arrayContaining(['highlight']), ['package.json: its scripts are run']])
  })

  it('flags set-id files, which commands may not make either', async () => {
    const flagged = await flagsOf('tool', (fs) => {
      fs.writeFileSync('tool', 'x\n')
      fs.chmodSync('tool', 0o4755)
    })
    expect(flagged.flags).toContain('set-id')
    expect(flagged.reasons).toEqual([expect.stringMatching(/^set-id: .*a commit refuses it$/)])
    const plain = await flagsOf('dir', (fs) => fs.mkdirSync('dir', 0o2755))
    expect(plain.flags).not.toContain('set-id')
  })
})
