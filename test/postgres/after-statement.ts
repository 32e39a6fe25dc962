import type { Database, Query } from '../../src/hub/sql.js'

/** A database that runs a callback after a statement that starts with or contains a text, within its transaction. */
export function afterStatement(database: Database, part: string, act: () => Promise<void>): Database {
  const transaction: Database['transaction'] = (work) =>
    database.transaction((query) => {
      const watched: Query = Object.assign({}, query, {
        rows: (async (sql, values) => {
          const rows = await query.rows(sql, values)
          if (sql.includes(part)) await act()
          return rows
        }) satisfies Query['rows'],
      })
      return work(watched)
    })
  return Object.assign({}, database, { transaction })
}
