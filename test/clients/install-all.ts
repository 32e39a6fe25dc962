import { CLIENTS, programOf } from './installed.js'

/** Installs the named clients, or all, before the suites. */
export function setup(): void {
  const named = CLIENTS.filter((client) => process.argv.includes(client))
  for (const client of named.length > 0 ? named : CLIENTS) programOf(client)
}
