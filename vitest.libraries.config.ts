import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

const { projects: _, ...settings } = base.test ?? {}

/** Libraries of npm, driven on `session.fs`: `npm run test:libraries`. It is no part of `npm test`, as it installs them first. */
export default defineConfig({
  ...base,
  test: {
    ...settings,
    include: ['test/libraries/**/*.test.ts'],
    globalSetup: ['test/support/scratch.ts', 'test/libraries/installed.ts'],
  },
})
