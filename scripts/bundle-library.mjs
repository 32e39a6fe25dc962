// Bundles the library as npm publishes it: node scripts/bundle-library.mjs DIRECTORY
// Node takes a fifth of a second to open and link a file for each module. Packages stay outside, so a program has one copy of each.
// Types are checked and declared by tsc.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const { exports: entries } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
/** The files that the package exports, without `dist/` and the ending. */
const FILES = Object.values(entries).flatMap((entry) =>
  typeof entry === 'string' ? [] : [entry.default.replace(/^\.\/dist\/|\.js$/g, '')],
)

const bundle = await rolldown({
  cwd: ROOT,
  input: Object.fromEntries(FILES.map((file) => [file, `${file}.ts`])),
  platform: 'node',
  external: (id) => !/^(?:[./]|[A-Z]:|\0)/.test(id) && !FILES.some((file) => id === `${file}.ts`),
  tsconfig: false,
  onLog: (level, log) => {
    if (level === 'warn') throw new Error(log.message)
  },
})
await bundle.write({
  dir: process.argv[2] ?? join(ROOT, 'dist'),
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'src/chunks/[name]-[hash].js',
  comments: { legal: false, jsdoc: false, annotation: true },
})
await bundle.close()
