import { expect, it } from 'vitest'
import { start } from '../support/tmux.js'

it('shows the output of a program, and types into it', async () => {
  const terminal = start('stty size; read name; echo "hello $name"; exit 3', { columns: 60, rows: 10 })
  await terminal.waitFor('10 60')
  terminal.type("it's; -me")
  terminal.key('Enter')
  await terminal.waitFor("hello it's; -me")
  expect(await terminal.waitForExit()).toBe(3)
  expect(terminal.screen()).toContain('hello')
})

it('presses keys, resizes, and passes variables and directory to the program', async () => {
  const program =
    'trap "stty size" WINCH; trap "echo interrupted; exit 0" INT; pwd; echo "$WORD"; while :; do sleep 0.02; done'
  const terminal = start(program, { cwd: '/usr', env: { WORD: 'as told' } })
  await terminal.waitFor(/^\/usr\nas told/)
  terminal.resize(70, 20)
  await terminal.waitFor('20 70')
  terminal.key('C-c')
  await terminal.waitFor('interrupted')
  expect(await terminal.waitForExit()).toBe(0)
})
