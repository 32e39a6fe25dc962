import { type Command, Option } from 'commander'
import type { Chosen } from './hunks.js'

/** @throws CommanderError, for wrong usage, where nothing is named: what takes all by default is said there. */
export function refuseNothing(command: Command, paths: readonly string[], { hunk = [], call = [] }: Chosen): void {
  if (paths.length + hunk.length + call.length === 0) command.error('error: give paths, --hunk or --call')
}

/** `--hunk ID...` and `--call ID...`, as every command has them that takes parts of a change set. */
export function addSelectionOptions(command: Command): Command {
  const hunk = "ids of hunks or their beginnings, as 'escrow diff' shows them"
  const call = "ids of tool calls whose changes to take, as 'escrow diff' shows them"
  return command.addOption(new Option('--hunk <id...>', hunk)).addOption(new Option('--call <id...>', call))
}
