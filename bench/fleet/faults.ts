import { setTimeout as sleep } from 'node:timers/promises'
import type { Fleet } from './fleet.js'
import type { Weather } from './network.js'

const WEATHER: readonly Weather[] = ['partition', 'lost answer', 'held', 'duplicated', 'reordered']

/** Each kind of fault: its start and its end. */
const FAULTS: Readonly<Record<string, (fleet: Fleet) => Promise<void>>> = {
  'a host is killed': ({ hosts, random }) => random.pick(hosts).process.kill(),
  'a hub is killed': ({ hubs, random }) => random.pick(hubs).kill(),
  'the database crashes': async ({ postgres }) => postgres.restart(),
  'the database has no space': async ({ query }) => {
    // The error that a full disk gives, from the tables that grow.
    await query(`create or replace function public.full_disk() returns trigger language plpgsql as
      $$ begin raise exception 'no space left on device' using errcode = '53100'; end $$`)
    const tables = ['contents', 'submissions', 'decisions', 'ledgers']
    for (const table of tables)
      await query(`create trigger full_disk before insert on escrow.${table} execute function public.full_disk()`)
    await sleep(1_000)
    for (const table of tables) await query(`drop trigger full_disk on escrow.${table}`)
  },
  'a host stops until its leases are over': async ({ hosts, random, query }) => {
    const { name, process } = random.pick(hosts)
    process.send('SIGSTOP')
    await query(`update escrow.sessions set until = now() - interval '1 second' where host = '${name}'`)
    await sleep(500)
    process.send('SIGCONT')
  },
  ...Object.fromEntries(
    WEATHER.map((weather) => [
      `network: ${weather}`,
      async ({ network }: Fleet) => {
        network.weather = weather
        await sleep(800)
        network.weather = 'clear'
      },
    ]),
  ),
}

/** Injects faults one after the other, by the fleet's seed. @returns how often each kind happened */
export async function injectFaults(fleet: Fleet, count: number): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (let n = 0; n < count && !fleet.isDone; n++) {
    const kind = fleet.random.pick(Object.keys(FAULTS))
    await FAULTS[kind]?.(fleet)
    counts.set(kind, (counts.get(kind) ?? 0) + 1)
    await sleep(fleet.random.below(300))
  }
  return counts
}
