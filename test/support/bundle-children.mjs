// Bundles child programs of tests: node test/support/bundle-children.mjs OUT FILE...
// A child that loads the sources file by file takes half a second of processor time to start, and tests start hundreds.
import { basename } from 'node:path'
import { rolldown } from 'rolldown'

const [out = '', ...files] = process.argv.slice(2)
const bundle = await rolldown({
  input: Object.fromEntries(files.map((file) => [basename(file, '.ts'), file])),
  platform: 'node',
  external: (id) => !/^[./]/.test(id),
  tsconfig: false,
  logLevel: 'silent',
})
await bundle.write({ dir: out, format: 'esm', entryFileNames: '[name].js', chunkFileNames: 'chunks/[name]-[hash].js' })
await bundle.close()
