// Compiles src/ and overlay/ into dist/, and builds the review page into dist/web. Run by npm's prepare, so a fresh `npm ci` leaves a usable package.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
rmSync('dist', { recursive: true, force: true })
const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { stdio: 'inherit' })
if (status !== 0) process.exit(status ?? 1)
await import('./build-web.mjs')
for (const bin of ['dist/src/cli/main.js', 'dist/src/cli/sh.js']) if (existsSync(bin)) chmodSync(bin, 0o755)
