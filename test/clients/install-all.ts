import { CLIENTS, programOf } from './installed.js'

/** Installs the named clients, or all, before the suites. */
export function setup(): void {
  const requested = CLIENTS.filter((client) => process.argv.includes(client))
  for (const client of requested.length > 0 ? requested : CLIENTS) programOf(client)
}
