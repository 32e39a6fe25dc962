import { expect, it, vi } from 'vitest'
import { BackgroundCommand } from '../../src/exec/background-command.js'
import type { CommandGate, ExecDeps } from '../../src/exec/command-gate.js'
import { SessionCommands } from '../../src/exec/commands.js'

it('commands that are still starting count once against the limit', async () => {
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const made = { state: 'running', whenStarted: () => begun, end: async () => undefined }
  const make = vi.spyOn(BackgroundCommand, 'make').mockImplementation(async () => made as unknown as BackgroundCommand)
  try {
    const commands = new SessionCommands({} as ExecDeps, {} as CommandGate, async () => undefined as never)
    const starting = Array.from({ length: 15 }, () => commands.start('sleep 1', {}))
    await new Promise((resolve) => setImmediate(resolve))
    expect(commands.list()).toHaveLength(15)
    starting.push(commands.start('sleep 1', {}))
    await expect(commands.start('sleep 1', {})).rejects.toMatchObject({ reason: 'limit_exceeded' })
    begin()
    await Promise.all(starting)
    await expect(commands.start('sleep 1', {})).rejects.toMatchObject({ reason: 'limit_exceeded' })
  } finally {
    make.mockRestore()
  }
})
