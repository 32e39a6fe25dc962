import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // vitest would leave one of two cores idle.
    maxWorkers: 2,
    reporters: ['default'],
  },
})
