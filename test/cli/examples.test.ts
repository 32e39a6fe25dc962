import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.js'
import { EXIT } from '../../src/cli/context.js'
import { run } from '../../src/cli/run.js'

/** `hook` reads stdin and may exit the process. */
const OURS = COMMANDS.filter(({ name, example }) => name !== 'hook' && example.startsWith('escrow '))

/** Splits a command line as a shell does. */
function wordsOf(line: string): string[] {
  const [command = ''] = line.replace(/^escrow /, '').split(' < ')
  const { stdout } = spawnSync('/bin/sh', ['-c', `printf '%s\\n' ${command}`], { encoding: 'utf8' })
  return stdout.trimEnd().split('\n')
}

it.each(OURS.map(({ name, example }) => [name, example]))(
  'the help example of %s is valid usage: %s',
  async (_, example) => {
    const output: string[] = []
    const write = (text: string) => void output.push(text)
    const io = { out: write, err: write, cwd: '/', terminal: false, color: false, version: '1' }
    const code = await run(wordsOf(example), io, async () => {
      throw new Error('It was understood, and nothing is run here.')
    })
    // `review` fails because there is no terminal, and `ci` exits so if it cannot check.
    if (code === EXIT.usage) expect(output.join('')).toMatch(/terminal|nothing is run here/)
  },
)

it('the export example names an existing format', async () => {
  const { example = '' } = COMMANDS.find(({ name }) => name === 'export') ?? {}
  expect(wordsOf(example)).toEqual(['export', 'csv'])
})
