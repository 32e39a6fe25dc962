import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

const { projects: _, ...settings } = base.test ?? {}

/** The suite of the hub's stores on a real PostgreSQL: `npm run test:postgres`. `npm test` runs it on PGlite. */
export default defineConfig({
  ...base,
  test: {
    ...settings,
    include: ['test/postgres/**/*.test.ts'],
    globalSetup: ['test/support/scratch.ts', 'test/postgres/server.ts'],
  },
})
