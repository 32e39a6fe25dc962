// Bundles the command into few files, each loaded when a command needs it: node scripts/bundle.mjs DIRECTORY
// Reads the TypeScript as it is; types are checked elsewhere. Beside the code lie the licences of what went into it.
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const VERSION = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version
const PROGRAMS = { main: 'src/cli/main.ts', sh: 'src/cli/sh.ts' }
const LATER_FILES = { 'chunks/memfs-core': '@jsonjoy.com/fs-core' }
/** To find a file takes about as long as to read 20 kB of it: what many commands share is two files, one with what each hook needs. */
const SHARED = {
  debugName: 'shared',
  name: (id, graph) => {
    if (/[\\/](?:src[\\/]cli|commander)[\\/]/.test(id)) return null
    hook ??= reached(HOOK, graph)
    return hook.has(id) ? 'base' : 'more'
  },
  minShareCount: 4,
}
const HOOK = join(ROOT, 'src/agents/claude/answer.ts')
let hook

/** All that is loaded with a module. */
function reached(id, graph, found = new Set()) {
  if (found.has(id)) return found
  found.add(id)
  for (const next of graph.getModuleInfo(id)?.importedIds ?? []) reached(next, graph, found)
  return found
}

/** Finds its grammars beside its own files. */
const EXTERNAL = [/^@vscode\/tree-sitter-wasm/]

/** Our modules do nothing but what is asked of them by import, the two programs aside. */
const isOurs = (id) =>
  !/[\\/]node_modules[\\/]/.test(id) && !Object.values(PROGRAMS).some((entry) => id.endsWith(entry))

/**
 * Of memfs the stage takes inodes and their bytes (`overlay/upper.ts`), which its volume has from this core. The rest, streams and a
 * `node:fs` over it, takes as long to load as Node itself. The core is a file of its own, loaded with the first content.
 */
const LEAN_MEMFS = `
export class Volume {
  #core
  get _core() {
    return (this.#core ??= new (require('./memfs-core.js').Superblock)())
  }
}
`
/** Modules of Node's that take milliseconds to load, and the functions we take from them: few commands call one. */
const LATE = {
  'node:child_process': ['spawn', 'spawnSync'],
  'node:http': ['createServer', 'request'],
}
const lateModule = (name) =>
  LATE[name].map((each) => `export const ${each} = (...given) => process.getBuiltinModule('${name}').${each}(...given)`)

const lean = {
  name: 'lean',
  resolveId(id, importer) {
    if (id === 'memfs') return '\0memfs'
    if (id === './memfs-core.js') return { id, external: true }
    // What wraps a whole module for a host is no part of the command.
    return id in LATE && isOurs(importer) && !importer.endsWith('host-programs.ts') ? `\0${id}` : undefined
  },
  load(id) {
    if (id === '\0memfs') return LEAN_MEMFS
    return id.startsWith('\0node:') ? lateModule(id.slice(1)).join('\n') : undefined
  },
}

/**
 * Leads each import from an `index.ts` of ours to the file that has what is imported. Chunks are made of files: through an index
 * each one would reach all that any other needs.
 */
const pastIndexes = {
  name: 'past-indexes',
  transform: {
    filter: { id: /\.ts$/ },
    handler: (code, id) =>
      code
        .replace(NAMED, (whole, word, names, from) => {
          if (word.includes('type')) return whole
          const homes = homesBy(id, from)
          if (homes === undefined) return whole
          return namesOf(names)
            .map(
              ([name, as]) =>
                `${word} { ${homes.get(name).was} as ${as} } from ${JSON.stringify(homes.get(name).file)}`,
            )
            .join(';')
        })
        .replace(LATER, (whole, name, from) => {
          const home = homesBy(id, from)?.get(name)
          return home === undefined
            ? whole
            : `const { ${home.was}: ${name} } = await import(${JSON.stringify(home.file)})`
        }),
  },
}

/** One name that is loaded when it is needed. */
const LATER = /const \{ (\w+) \} = await import\('(\.[^']*)'\)/g
const NAMED = /^(import(?: type)?|export(?: type)?) \{([^}]*)\} from '(\.[^']*)'/gm

/** What is named between braces, types left out, and what it is called outside of them. */
function namesOf(braces) {
  const each = braces.split(',').map((one) => one.trim())
  return each
    .filter((one) => one !== '' && !one.startsWith('type '))
    .map((one) => {
      const [name, as = name] = one.split(' as ')
      return [name, as]
    })
}

/** Undefined where what is imported is no index. */
function homesBy(importer, from) {
  const file = resolve(dirname(importer), from.replace(/\.js$/, '.ts'))
  return /[\\/]index\.ts$/.test(file) ? exportsOf(file) : undefined
}

/** Each name an index hands on, the file that has it, and its name there. */
function exportsOf(index) {
  const homes = new Map()
  for (const [, word, names, from] of readFileSync(index, 'utf8').matchAll(NAMED)) {
    if (word !== 'export') continue
    const file = resolve(dirname(index), from.replace(/\.js$/, '.ts'))
    for (const [name, as] of namesOf(names)) {
      const inner = /[\\/]index\.ts$/.test(file) ? exportsOf(file).get(name) : undefined
      homes.set(as, inner ?? { file, was: name })
    }
  }
  return homes
}

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
    input: { ...PROGRAMS, ...LATER_FILES },
    platform: 'node',
    external: EXTERNAL,
    transform: { define: { ESCROW_VERSION: JSON.stringify(VERSION) } },
    plugins: [lean, pastIndexes],
    // The same parser as modules, of which only what is used is taken.
    resolve: {
      alias: {
        yaml: join(ROOT, 'node_modules/yaml/browser/dist/index.js'),
        // Its other form requires its files by names that a bundler cannot see.
        'jsonc-parser': join(ROOT, 'node_modules/jsonc-parser/lib/esm/main.js'),
      },
    },
    tsconfig: false,
    treeshake: { moduleSideEffects: (id) => (isOurs(id) ? false : undefined) },
    onLog: (level, log) => {
      if (level === 'warn' && log.code !== 'INEFFECTIVE_DYNAMIC_IMPORT') throw new Error(log.message)
    },
  })
  const { output } = await bundle.write({
    dir,
    format: 'cjs',
    codeSplitting: { groups: [SHARED] },
    // Names of functions stay: a stack that a user sends us can be read.
    minify: {
      compress: true,
      mangle: { keepNames: { function: true, class: true } },
      codegen: { removeWhitespace: true },
    },
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    comments: { legal: false },
  })
  await bundle.close()
  // As CommonJS it starts sooner: Node's loader of modules takes some milliseconds of its own.
  writeFileSync(join(dir, 'package.json'), '{"type":"commonjs"}\n')
  for (const name of Object.keys(PROGRAMS)) chmodSync(join(dir, `${name}.js`), 0o755)
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
