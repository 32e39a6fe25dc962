import { defineConfig } from 'vitest/config'
import base from './vitest.config.js'

const { projects: _, ...settings } = base.test ?? {}

/** The VS Code extension in a real code-server: `npm run test:editor`. It is no part of `npm test`, as it installs and builds the editor first. */
export default defineConfig({
  ...base,
  test: {
    ...settings,
    include: ['test/editor/**/*.test.ts'],
    hookTimeout: 900_000,
    globalSetup: ['test/support/scratch.ts', 'test/editor/installed.ts'],
  },
})
