import { newId } from '../core/ids.js'
import { type Clock, lastsAsSql, nowAsSql } from './clock.js'
import { HubError } from './hub-error.js'
import { appendLine } from './ledger.js'
import { assertHeld } from './registry.js'
import { changing, changingPath, inScope, onlyRow } from './scope.js'
import { type Database, type Query, type Row, textOf } from './sql.js'
import type { Claim, Claims, Scope } from './types.js'

/** A claim cannot outlive a working day, even if nobody releases it. */
const LONGEST_MS = 8 * 3_600_000
/** Claims below so many directories wait for each other, because the database has room for some thousand locks. */
const MAX_LOCKED = 12
const COLUMNS = 'id, prefix, session, until::text as until'

export function createClaims(database: Database, scope: Scope, clock: Clock): Claims {
  return {
    async claim(hold, path, milliseconds) {
      const prefix = prefixOf(path)
      return changingPath(database, scope, lockedPaths(prefix), async (query) => {
        if (!(milliseconds > 0 && milliseconds <= LONGEST_MS))
          throw new HubError('invalid', `A claim lasts from 1 to ${LONGEST_MS} milliseconds.`)
        await assertHeld(query, hold, clock)
        const overlaps = await findOverlaps(query, hold.session, prefix, clock)
        if (overlaps.length > 0) return { overlaps }
        return { claim: await insert(query, hold.session, prefix, milliseconds, clock), overlaps }
      })
    },
    async release(hold, path) {
      const prefix = prefixOf(path)
      return changingPath(database, scope, lockedPaths(prefix), async (query) => {
        await assertHeld(query, hold, clock)
        await query.rows('delete from escrow.claims where session = $1 and prefix = $2', [hold.session, prefix])
      })
    },
    override: (id, by) =>
      changing(database, scope, async (query) => {
        const [row] = await query.rows(`delete from escrow.claims where id = $1 returning ${COLUMNS}`, [id])
        if (row === undefined) throw new HubError('not_found', 'There is no such claim.')
        await appendLine(query, 'audit', { act: 'claim ended', by, claim: claimOf(row) })
      }),
    list: () =>
      inScope(database, scope, async (query) => {
        const rows = await query.rows(
          `select ${COLUMNS} from escrow.claims where ${lastsAsSql('until', nowAsSql(1), LONGEST_MS)} order by prefix, session`,
          [clock()],
        )
        return rows.map(claimOf)
      }),
  }
}

/**
 * The prefixes of a path from the root (an empty text) down to the path itself. If two paths overlap, the list of one
 * contains the last item of the other's list.
 */
function lockedPaths(prefix: string): string[] {
  const segments = prefix.split('/').slice(0, -1).slice(0, MAX_LOCKED)
  return ['', ...segments.map((_, at) => `${segments.slice(0, at + 1).join('/')}/`)]
}

/** Two prefixes overlap where one is an ancestor of the other, or they are equal. The slash at the end keeps `src/a` from `src/ab`. */
async function findOverlaps(query: Query, session: string, prefix: string, clock: Clock): Promise<Claim[]> {
  const rows = await query.rows(
    `select ${COLUMNS} from escrow.claims where session <> $1 and ${lastsAsSql('until', nowAsSql(3), LONGEST_MS)}
      and (starts_with(prefix, $2) or starts_with($2, prefix)) order by prefix, session`,
    [session, prefix, clock()],
  )
  return rows.map(claimOf)
}

async function insert(query: Query, session: string, prefix: string, milliseconds: number, clock: Clock) {
  const rows = await query.rows(
    `insert into escrow.claims (id, prefix, session, until)
      values ($1, $2, $3, ${nowAsSql(5)} + $4::float8 * interval '1 millisecond')
      on conflict (tenant, workspace, session, prefix) do update set until = excluded.until
      returning ${COLUMNS}`,
    [newId(), prefix, session, milliseconds, clock()],
  )
  return claimOf(onlyRow(rows))
}

function claimOf(row: Row): Claim {
  return {
    id: textOf(row, 'id'),
    prefix: textOf(row, 'prefix'),
    session: textOf(row, 'session'),
    until: textOf(row, 'until'),
  }
}

/** @throws HubError `invalid` for a path that could mean another one */
function prefixOf(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '')
  const isOdd = path.startsWith('/') || segments.some((segment) => segment === '.' || segment === '..')
  if (isOdd || path.includes('\0'))
    throw new HubError('invalid', 'Claim a path relative to the root, without . and .. in it.')
  return segments.map((segment) => `${segment}/`).join('')
}
