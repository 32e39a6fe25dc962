// Bundles the extension and its copy of escrowfs into dist/.
import { cpSync, mkdirSync, realpathSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const HERE = dirname(fileURLToPath(import.meta.url))
/** This package looks for its grammars next to its own files. */
const GRAMMARS = '@vscode/tree-sitter-wasm'

/**
 * @param {string} out the output directory; its content is removed first
 * @param {{ index: string, vscode: string }} library the two entries of escrowfs to bundle
 */
export async function build(out, library) {
  rmSync(out, { recursive: true, force: true })
  await bundle({ main: join(HERE, 'src/main.ts') }, out, 'cjs', ['vscode'])
  await bundle(library, join(out, 'escrowfs'), 'esm', [GRAMMARS])
  const grammars = dirname(createRequire(library.index).resolve(`${GRAMMARS}/package.json`))
  const place = join(out, 'node_modules', GRAMMARS)
  mkdirSync(dirname(place), { recursive: true })
  cpSync(grammars, place, { recursive: true, dereference: true, filter: (from) => !from.endsWith('.d.ts') })
}

/** @param {Record<string, string>} input @param {string} dir @param {'cjs' | 'esm'} format @param {string[]} external */
async function bundle(input, dir, format, external) {
  // The bundler cannot resolve the dynamic requires in jsonc-parser's main file.
  const resolve = { mainFields: ['module', 'main'] }
  const made = await rolldown({ input, platform: 'node', external, resolve })
  const ending = format === 'cjs' ? 'cjs' : 'mjs'
  await made.write({ dir, format, entryFileNames: `[name].${ending}`, chunkFileNames: `[name]-[hash].${ending}` })
  await made.close()
}

if (realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url)) {
  const entry = (/** @type {string} */ name) => fileURLToPath(import.meta.resolve(name))
  await build(join(HERE, 'dist'), { index: entry('escrowfs'), vscode: entry('escrowfs/vscode') })
}
