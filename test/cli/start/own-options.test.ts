import { Command } from 'commander'
import { expect, it } from 'vitest'
import { separateOwnOptions } from '../../../src/cli/start/own-options.js'

const command = new Command('claude')
  .option('-y, --yes')
  .option('--intent <id>')
  .option('--allow-host <host>')
  .option('--env <name[=value]>')

it.each([
  ['claude', 'claude'],
  ['claude -p x', 'claude -- -p x'],
  ['claude --yes -p x --yes', 'claude --yes -- -p x --yes'],
  ['claude -y --intent INT-001 text --intent y', 'claude -y --intent INT-001 -- text --intent y'],
  ['claude --intent=INT-001 --continue', 'claude --intent=INT-001 -- --continue'],
  ['claude --allow-host a b --yes c', 'claude --allow-host a -- b --yes c'],
  ['claude --allow-host a --allow-host b c', 'claude --allow-host a --allow-host b -- c'],
  ['claude --env A=1 --env B -- -y', 'claude --env A=1 --env B -- -y'],
  ['claude --help', 'claude --help'],
  ['-C dir claude -C other', '-C dir claude -- -C other'],
  ['status', 'status'],
])('%s', (line, apart) => {
  expect(separateOwnOptions(line.split(' '), command).join(' ')).toBe(apart)
})
