import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vitest/config'
import { compileSourcesOnce } from './compiled.js'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Lets suites import the compiled sources, which Node loads itself. Vitest would transform each source for each project, and load it into
 * each of its processes by its own module runner. A stack trace names the sources, by their source maps.
 *
 * `vi.mock` and `vi.spyOn` cannot change exports of modules that Node loads. Watch mode follows no compiled file, so it uses the sources.
 */
export function compiledSources(): Plugin {
  let isWatching = false
  return {
    name: 'escrowfs:compiled-sources',
    enforce: 'pre',
    configureVitest({ vitest }) {
      isWatching = vitest.config.watch
    },
    resolveId(source, importer) {
      if (isWatching || importer === undefined || !/^[./]/.test(source)) return null
      const path = relative(REPOSITORY, resolve(dirname(importer), source))
      return /^(?:src|overlay)\/.*\.[jt]s$/.test(path) ? `${compileSourcesOnce()}/${path.replace(/ts$/, 'js')}` : null
    },
  }
}
