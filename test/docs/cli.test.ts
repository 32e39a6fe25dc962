import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import { buildFullProgram } from '../../src/cli/program.js'
import { run } from '../../src/cli/run.js'
import { inertContext } from '../cli/inert-context.js'
import { DOCUMENTS, reference, withJson } from './cli-reference.js'

it("docs/cli.md lists the commands' arguments and options", async () => {
  await expect(reference(await buildFullProgram(inertContext))).toMatchFileSnapshot('../../docs/cli.md')
})

it('has the document of exactly the commands with --json', async () => {
  expect(withJson(await buildFullProgram(inertContext)).sort()).toEqual(Object.keys(DOCUMENTS).sort())
})

it.each(COMMANDS)('the help of $name ends with an example of it', async ({ name, example }) => {
  let help = ''
  const out = (text: string) => {
    help += text
  }
  expect(await run([name, '--help'], { ...inertContext.io, out }, inertContext.library)).toBe(0)
  expect(help.trimEnd().endsWith(`Example:\n  ${example}`)).toBe(true)
  expect(example).toContain(`escrow ${name}`)
})

it('each option and argument has a description', async () => {
  const program = await buildFullProgram(inertContext)
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
