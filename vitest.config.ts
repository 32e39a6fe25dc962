import { defineConfig } from 'vitest/config'
import { STATE_HOME } from './test/support/state-home.js'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 180_000,
    hookTimeout: 180_000,
    pool: 'forks',
    // vitest would leave one of two cores idle.
    maxWorkers: 2,
    reporters: ['default'],
    env: { XDG_STATE_HOME: STATE_HOME },
    globalSetup: ['test/support/machine.ts', 'test/support/state-home.ts'],
  },
})
