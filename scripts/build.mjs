// Declares the types of src/ and overlay/ in dist/, bundles the library and the command, and builds the review page into dist/web.
// npm's `prepare` runs it, so a fresh `npm ci` leaves a usable package.
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

// TypeScript 6 has the API that ts-node and the docs use. Version 7 has none yet, and takes a third of the processor time.
const tsc = fileURLToPath(new URL('../node_modules/typescript-native/bin/tsc', import.meta.url))
rmSync('dist', { recursive: true, force: true })
run(tsc, '-p', 'tsconfig.build.json')
run('scripts/bundle-library.mjs', 'dist')
run('scripts/bundle.mjs', 'dist/src/cli')
run('scripts/build-web.mjs', 'dist/web')

function run(...args) {
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
