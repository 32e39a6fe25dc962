import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

/** The suites that drive real clients: `npm run test:clients`. They are no part of `npm test`, as they install the clients first. */
export default defineConfig({
  test: {
    include: ['test/clients/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 600_000,
    pool: 'forks',
    maxWorkers: 2,
    // As in `npm test`: on CI once more, and named.
    retry: base.test?.retry ?? 0,
    globalSetup: ['test/clients/install-all.ts'],
    reporters: ['default', 'test/clients/table.ts'],
  },
})
