import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import xterm from '@xterm/headless'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { compileOnce } from '../../support/compiled.js'
import { start, type Terminal } from '../../support/tmux.js'
import { startSession, testWorkspace } from '../../support/workspace.js'

/** A reviewer approves what the terminal shows, so a long line must arrive whole on every terminal and at every width. */

/** Each character identifies its place. The wide ones do not fit into the last column of odd widths. */
const LONG = Array.from({ length: 60 }, (_, n) => `${n}${'abcdef'[n % 6]}漢`).join('-')
const ROWS = 30

beforeAll(() => {
  const { status } = spawnSync(process.execPath, ['scripts/ensure-tools.mjs', 'tmux', 'screen'], { stdio: 'inherit' })
  if (status !== 0) throw new Error('A terminal is missing: see above.')
})

/** Opens the review of one long line in tmux. @param inside wraps the command in another program's */
async function review(
  columns: number,
  inside = (command: string) => command,
): Promise<{ readonly terminal: Terminal; readonly root: string }> {
  const project = testWorkspace()
  const session = await startSession(await project.open())
  session.fs.writeFileSync('src/a.ts', `${LONG}\n`)
  await session.flush()
  const escrow = `${process.execPath} ${compileOnce()}/test/children/escrow.js review agent`
  const terminal = start(inside(escrow), { columns, rows: ROWS, cwd: project.root })
  // `screen` and `script` keep their program when their terminal closes, so the person leaves the review.
  onTestFinished(async () => {
    terminal.type('q')
    await terminal.waitForExit()
  })
  await terminal.waitFor('59f')
  return { terminal, root: project.root }
}

/** The rows from the added line on, without marks and trailing spaces. */
function textIn(screen: string): string {
  return screen
    .split('\n')
    .map((row) => row.replace(/^[^0-9a-f漢-]*/, '').trimEnd())
    .join('')
}

describe.each([80, 81, 140])('at %i columns', (columns) => {
  it('tmux shows every character of a wrapped line', async () => {
    const { terminal } = await review(columns)
    expect(textIn(terminal.screen())).toContain(LONG)
  })

  it('screen shows every character of a wrapped line', async () => {
    const { terminal } = await review(columns, (command) => `screen -U -c /dev/null ${command}`)
    expect(textIn(terminal.screen())).toContain(LONG)
  })

  it('xterm.js shows every character of a wrapped line', async () => {
    const { terminal, root } = await review(columns, (command) => `script -q -f -c '${command}' .sent`)
    const sent = new xterm.Terminal({ cols: columns, rows: ROWS, allowProposedApi: true })
    await new Promise<void>((resolve) => sent.write(readFileSync(`${root}/.sent`), resolve))
    const { active } = sent.buffer
    const rows = Array.from({ length: ROWS }, (_, row) => active.getLine(row)?.translateToString(true) ?? '')
    expect(textIn(rows.join('\n'))).toContain(LONG)
    expect(textIn(terminal.screen())).toContain(LONG)
  })
})
