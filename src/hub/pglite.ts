import { loadOptimizedLate } from '../os/wasm-optimizer.js'
import { packageMissing } from './package-missing.js'
import { retried } from './retry.js'
import { assertStorable, CHANNEL, type Database, type Query, type Row, type SqlValue } from './sql.js'

/**
 * Opens PostgreSQL inside of this process, which must be the only one that has the directory open.
 * @param directory undefined: in memory
 */
export async function openPglite(directory?: string): Promise<Database> {
  const { PGlite } = await import('@electric-sql/pglite').catch((error: unknown) => {
    throw packageMissing('@electric-sql/pglite', error)
  })
  const server = await loadOptimizedLate(() => PGlite.create(directory === undefined ? {} : { dataDir: directory }))
  return {
    transaction: (work) =>
      retried(() =>
        server.transaction((open) => {
          const query: Query = {
            rows: async (text, values: readonly SqlValue[] = []) =>
              (await open.query<Row>(text, [...assertStorable(values)])).rows,
            script: async (text) => void (await open.exec(text)),
          }
          return work(query)
        }),
      ),
    async listen(wake) {
      const end = await server.listen(CHANNEL, wake)
      return () => end()
    },
    close: () => server.close(),
  }
}
