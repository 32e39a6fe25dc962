import { setImmediate as breathe } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { type Child, startChild } from '../children/run.js'
import { startSession, testWorkspace } from '../support/workspace.js'

const COUNT = 12
const GAP = 10
/** A line for each number, far enough from the next to be a separate hunk. */
const content = (of: (number: number) => string) =>
  Array.from({ length: COUNT }, (_, number) => `${of(number)}\n${`between ${number}\n`.repeat(GAP)}`).join('')
const BASE = content((number) => `old ${number}`)

/** The hunks that a reviewer reported as approved or rejected. */
async function linesOf(child: Child, texts: string[] = []): Promise<string[]> {
  for (let line = await child.line(); line !== undefined; line = await child.line()) texts.push(JSON.parse(line))
  return texts
}

describe('several at once', () => {
  it('two reviewers in two processes: no verdict is lost', async () => {
    const project = testWorkspace({ 'src/a.ts': BASE })
    const session = await startSession(await project.open())
    session.fs.writeFileSync(
      'src/a.ts',
      content((number) => `new ${number}`),
    )
    await session.close()
    const [ann, ben] = [
      startChild('reviewer.ts', project.root, 'Ann', 'even'),
      startChild('reviewer.ts', project.root, 'Ben', 'odd'),
    ]
    const [approved, rejected] = await Promise.all([linesOf(ann), linesOf(ben)])
    expect([approved.length, rejected.length]).toEqual([COUNT / 2, COUNT / 2])
    const review = await (await project.open()).review('agent')
    const states = (await review.changes()).changes[0]?.hunks.map(({ state }) => state)
    expect(states).toEqual(Array.from({ length: COUNT }, (_, number) => (number % 2 ? 'rejected' : 'approved')))
    await review.commit()
    expect(project.text('src/a.ts')).toBe(content((number) => (number % 2 ? `old ${number}` : `new ${number}`)))
  })

  it('a reviewer who commits while the agent writes: nothing unseen is committed', async () => {
    const project = testWorkspace({ 'src/a.ts': BASE })
    const session = await startSession(await project.open())
    const reviewer = startChild('reviewer.ts', project.root, 'Ann', 'commit')
    const approved: string[] = []
    const approvals = linesOf(reviewer, approved)
    const versions = Array.from({ length: COUNT }, () => 0)
    const write = () =>
      session.fs.writeFileSync(
        'src/a.ts',
        content((at) => (versions[at] ? `new ${at} v${versions[at]}` : `old ${at}`)),
      )
    for (let attempt = 0; approved.length < 20; attempt++) {
      const at = (attempt * 7) % COUNT
      versions[at] = (versions[at] ?? 0) + 1
      if (attempt % 5 === 0) await session.toolCall({ tool: 'write', kind: 'edit' }, write)
      else write()
      await breathe()
      // A reviewer on a busy machine must be able to read the log faster than it grows.
      if (attempt % 20 === 0 || attempt > 500) await new Promise((resolve) => setTimeout(resolve, 30))
    }
    await reviewer.end()
    const addedLines = new Set(
      (await approvals).flatMap((text) => text.split('\n').filter((line) => line.startsWith('+'))),
    )
    const landed = project
      .text('src/a.ts')
      .split('\n')
      .filter((line) => line.startsWith('new '))
    for (const line of landed) expect(addedLines).toContain(`+${line}`)
    // The stage has the agent's latest content, whatever was committed meanwhile.
    await session.flush()
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe(
      content((at) => (versions[at] ? `new ${at} v${versions[at]}` : `old ${at}`)),
    )
  })

  it('two reviewers who edit one file: both edits are in it', async () => {
    const project = testWorkspace({ 'src/a.ts': BASE })
    const session = await startSession(await project.open())
    session.fs.writeFileSync(
      'src/a.ts',
      content((number) => `new ${number}`),
    )
    const reviews = await Promise.all(
      [project.open(), project.open()].map(async (opened) => (await opened).review('agent')),
    )
    for (const review of reviews) await review.changes()
    await Promise.all(
      reviews.map((review, who) =>
        review.edit(
          'src/a.ts',
          content((number) => (number === who * 3 ? `edit ${who}` : `new ${number}`)),
          { name: `R${who}` },
        ),
      ),
    )
    await session.flush()
    expect(session.fs.readFileSync('src/a.ts', 'utf8')).toBe(
      content((number) => (number === 0 ? 'edit 0' : number === 3 ? 'edit 1' : `new ${number}`)),
    )
  })
})
