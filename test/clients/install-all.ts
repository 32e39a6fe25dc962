import { CLIENTS, programOf } from './installed.js'

/** Before any suite: the clients named on the command line, or else all, are installed, one after the other. */
export function setup(): void {
  const named = CLIENTS.filter((client) => process.argv.includes(client))
  for (const client of named.length > 0 ? named : CLIENTS) programOf(client)
}
