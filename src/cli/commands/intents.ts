import type { Command } from 'commander'
import type { Context } from '../context.js'
import { registerEditing } from '../intents/edit.js'
import { registerScope } from '../intents/scope.js'
import { registerListing } from '../intents/show.js'

export function register(command: Command, context: Context): void {
  command.description('List, declare and change intents: what agents may work on, and where.')
  registerListing(command, context)
  registerEditing(command, context)
  registerScope(command, context)
}
