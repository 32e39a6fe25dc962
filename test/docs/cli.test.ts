import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import type { Context } from '../../src/cli/context.js'
import { wholeProgram } from '../../src/cli/program.js'
import { run } from '../../src/cli/run.js'
import { DOCUMENTS, reference, withJson } from './cli-reference.js'

const refuse = (): never => {
  throw new Error('Describing a command runs nothing.')
}
const io = { out: refuse, err: refuse, cwd: '/', terminal: false, color: false, version: '1' }
const context: Context = {
  ...{
    io,
    page: refuse,
    directory: refuse,
    root: refuse,
    library: refuse,
    withWorkspace: refuse,
    asAgent: refuse,
    asReviewer: refuse,
    wholeProgram: refuse,
    exit: refuse,
  },
  argv: [],
  colors: (await import('picocolors')).default.createColors(false),
}

it('docs/cli.md says what the commands take', async () => {
  await expect(reference(await wholeProgram(context))).toMatchFileSnapshot('../../docs/cli.md')
})

it('has the document of each command with --json, and of no other', async () => {
  expect(withJson(await wholeProgram(context)).sort()).toEqual(Object.keys(DOCUMENTS).sort())
})

it.each(COMMANDS)('the help of $name ends with an example of it', async ({ name, example }) => {
  let help = ''
  const out = (text: string) => {
    help += text
  }
  expect(await run([name, '--help'], { ...io, out }, refuse)).toBe(0)
  expect(help.trimEnd().endsWith(`Example:\n  ${example}`)).toBe(true)
  expect(example).toContain(`escrow ${name}`)
})

it('each option and argument says what it is for', async () => {
  const program = await wholeProgram(context)
  const silent = program.commands.flatMap((command) =>
    [command, ...command.commands].flatMap((each) => [
      ...each.options.filter(({ description }) => description === '').map(({ flags }) => `${each.name()} ${flags}`),
      ...each.registeredArguments
        .filter(({ description }) => description === '')
        .map((one) => `${each.name()} ${one.name()}`),
    ]),
  )
  expect(silent).toEqual([])
})
