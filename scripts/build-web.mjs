// Builds the review page from web/ into dist/web, or into the directory of the first argument.
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'

const root = fileURLToPath(new URL('../web/', import.meta.url))
await build({
  root,
  configFile: false,
  base: './',
  logLevel: 'warn',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    outDir: resolve(process.argv[2] ?? fileURLToPath(new URL('../dist/web/', import.meta.url))),
    emptyOutDir: true,
    target: 'es2022',
    modulePreload: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
  },
})
