import { type Command, Option } from 'commander'
import type { SelectionOptions } from './hunks.js'
import { refuseTogether } from './usage.js'

/** Refuses `--call` with paths or hunks. @throws CommanderError (wrong usage) */
export function refuseMixedSelection(
  command: Command,
  paths: readonly string[],
  { hunk = [], call = [] }: SelectionOptions,
): void {
  refuseTogether(command, ['--call', call.length > 0], ['paths', paths.length > 0])
  refuseTogether(command, ['--call', call.length > 0], ['--hunk', hunk.length > 0])
}

/** Requires a selection. @throws CommanderError (wrong usage) if paths, hunks and calls are all empty */
export function requireSelection(command: Command, paths: readonly string[], options: SelectionOptions): void {
  const { hunk = [], call = [] } = options
  refuseMixedSelection(command, paths, options)
  if (paths.length + hunk.length + call.length === 0)
    command.error("error: give paths ('**' for everything), --hunk or --call")
}

/** Adds `--hunk ID...` and `--call ID...`, which select parts of a change set. */
export function addSelectionOptions(command: Command): Command {
  const hunk = "only these hunks: their ids or unique beginnings of ids, as 'escrow diff' shows them"
  const call = "all changes of these tool calls: their ids, as 'escrow diff' shows them"
  return command.addOption(new Option('--hunk <id...>', hunk)).addOption(new Option('--call <id...>', call))
}
