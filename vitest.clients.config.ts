import { defineConfig } from 'vitest/config'

/** The suites that drive real clients: `npm run test:clients`. They are no part of `npm test`, as they install the clients first. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 600_000,
    pool: 'forks',
    maxWorkers: 2,
    globalSetup: ['test/clients/install-all.ts'],
    reporters: ['default', 'test/clients/table.ts'],
  },
})
