import { CLIENTS, programOf } from './installed.js'

/** Before any suite: each client is installed, one after the other. */
export function setup(): void {
  for (const client of CLIENTS) programOf(client)
}
