// Bundles the command into few files, each loaded when a command needs it: node scripts/bundle.mjs DIRECTORY
// Reads the TypeScript as it is; types are checked elsewhere. Beside the code lie the licences of what went into it.
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const ENTRIES = { main: 'src/cli/main.ts', sh: 'src/cli/sh.ts' }
/** Finds its grammars beside its own files. */
const EXTERNAL = [/^@vscode\/tree-sitter-wasm/]

const out = resolve(process.argv[2] ?? 'dist/src/cli')
const making = `${out}.${process.pid}`
rmSync(making, { recursive: true, force: true })
try {
  await write(making)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(dirname(out), { recursive: true })
  renameSync(making, out)
} finally {
  rmSync(making, { recursive: true, force: true })
}

async function write(dir) {
  const bundle = await rolldown({
    cwd: ROOT,
    input: ENTRIES,
    platform: 'node',
    external: EXTERNAL,
    tsconfig: false,
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    // Names stay: a stack that a user sends us can be read.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } },
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: { legal: false },
  })
  await bundle.close()
  for (const name of Object.keys(ENTRIES)) chmodSync(join(dir, `${name}.js`), 0o755)
  writeFileSync(join(dir, 'LICENSES.txt'), licences(output.flatMap((file) => file.moduleIds ?? [])))
}

/** The words under which each bundled package may be passed on. */
function licences(modules) {
  const packages = new Map()
  for (const id of modules) {
    const place = /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id.replaceAll('\\', '/'))?.[1]
    if (place === undefined) continue
    const { name, version, license } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
    const file = readdirSync(place).find((each) => /^licen[cs]e/i.test(each))
    const words = file === undefined ? '' : `\n${readFileSync(join(place, file), 'utf8').trim()}\n`
    packages.set(`${name} ${version}`, `${name} ${version}, ${license}\n${words}`)
  }
  const each = [...packages].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text)
  return ['The command contains code of these packages.\n', ...each].join(`\n${'-'.repeat(72)}\n\n`)
}
