// Bundles child programs of tests, or the library that they import: node test/support/bundle-children.mjs OUT CHUNKS FILE...
// A program that loads the sources and their packages file by file takes half a second of processor time to start, and tests start
// hundreds. Each FILE gets the same path below OUT. Shared code goes into the directory CHUNKS there, which must be as deep as
// `src/cli`: some modules find files of the package from their own place.
import { resolve } from 'node:path'
import { rolldown } from 'rolldown'

/** Packages that find files next to their own, optional ones, and tools of the tests. */
const EXTERNAL = /^(?:@electric-sql|@opentelemetry|@vscode|koffi|openid-client|postgres|rolldown|vitest)(?:\/|$)/

const [out = '', chunks = '', ...files] = process.argv.slice(2)
const bundle = await rolldown({
  input: Object.fromEntries(files.map((file) => [file.replace(/\.ts$/, ''), file])),
  platform: 'node',
  external: EXTERNAL,
  // As in the command's bundle: the other builds of these packages cannot be bundled, or only whole.
  resolve: {
    alias: {
      yaml: resolve('node_modules/yaml/browser/dist/index.js'),
      'jsonc-parser': resolve('node_modules/jsonc-parser/lib/esm/main.js'),
    },
  },
  tsconfig: false,
  logLevel: 'silent',
})
await bundle.write({
  dir: out,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: `${chunks}/[name]-[hash].js`,
})
await bundle.close()
