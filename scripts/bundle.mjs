// Bundles the command into a few files that load on demand: node scripts/bundle.mjs DIRECTORY
// It does not check types. It also writes the licences of the bundled packages.
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))
const VERSION = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).version
const PROGRAMS = { main: 'src/cli/main.ts', sh: 'src/cli/sh.ts' }
const LAZY_FILES = { 'chunks/memfs-core': '@jsonjoy.com/fs-core' }
/**
 * Modules that parse: schemas of zod, and readers of YAML. Few commands need one of them, so each is a file that loads when one of its
 * exports is first used (see `firstUse`).
 */
const ON_FIRST_USE = [
  'overlay/reconcile',
  'overlay/revert',
  'overlay/travel',
  'overlay/version-diff',
  'src/access/admit-reviewer',
  'src/access/migrate',
  'src/agents/claude/event-schema',
  'src/change-class/data',
  'src/client-settings/foreign',
  'src/client-settings/switches',
  'src/commit/apply',
  'src/commit/check',
  'src/commit/undo',
  'src/core/common-lines',
  'src/core/note-text',
  'src/history/intent-map',
  'src/hooks/patch-parser',
  'src/intents/criteria',
  'src/intents/edit',
  'src/intents/file-schema',
  'src/intents/schema',
  'src/intents/template-schema',
  'src/os/json-edit',
  'src/os/keep-code',
  'src/os/lock',
  'src/os/text-maps',
  'src/os/yaml',
  'src/os/yaml-edit',
  'src/os/yaml-scan',
  'src/policy-edit/remember-command',
  'src/policy-edit/remember-rule',
  'src/policy/messages',
  'src/policy/overlap',
  'src/policy/policy-schema',
  'src/policy/stricter',
  'src/release/commit-bases',
  'src/release/undo-session',
  'src/review/glob',
  'src/review/merge',
  'src/review/question-schema',
  'src/review/record-schema',
  'src/review/word-diff',
  'src/risk/findings-schema',
  'src/session/lessons',
  'src/stage/class-schema',
  'src/surface/containments',
  'src/terminal/providers',
  'src/terminal/quarantine-schema',
  'src/terminal/sandbox-programs',
  'src/trace/draft-schema',
  'src/trace/own-record',
  'src/trace/reading-point-format',
  'src/trust/changes',
]
const LATER = new Map(
  ON_FIRST_USE.map((name) => [join(ROOT, `${name}.ts`), `later/${name.replace(/^src\//, '').replaceAll('/', '-')}`]),
)
/** A hook neither parses a command line, nor speaks with a hub, nor publishes a ledger. */
const NOT_OF_HOOKS =
  /[\\/](?:src[\\/](?:cli|hub|remote|transparency)|commander)[\\/]|[\\/]src[\\/]trace[\\/]remote-chain\.ts$/
/** Opening a file takes about as long as reading 20 kB. So shared modules go into two files, one of them with the modules of hooks. */
const SHARED = {
  debugName: 'shared',
  name: (id, graph) => {
    if (LATER.has(id) || NOT_OF_HOOKS.test(id)) return null
    hook ??= importClosure(HOOK, graph)
    return hook.has(id) ? 'base' : 'more'
  },
  minShareCount: 4,
}
/** Turns the compile cache on, with what it needs for that. In a shared file it would load that file before the cache is on. */
const BEFORE_CACHE = {
  debugName: 'early',
  name: 'early',
  test: /[\\/](?:overlay[\\/](?:errno|path)|src[\\/]core[\\/](?:api-error|defined|layout)|src[\\/]os[\\/](?:build|code-cache|code-file|compile-cache|home|private-dir|search-path|state-home))\.ts$/,
  priority: 1,
}
/** The libraries of the modules that load later. */
const PARSERS = {
  debugName: 'parsers',
  name: (id) => /[\\/]node_modules[\\/](diff|jsonc-parser|node-diff3|picomatch|yaml|zod)[\\/]/.exec(id)?.[1],
  priority: 1,
}
const HOOK = join(ROOT, 'src/agents/claude/answer.ts')
let hook

/** All modules that load with a module. */
function importClosure(id, graph, found = new Set()) {
  if (found.has(id)) return found
  found.add(id)
  for (const next of graph.getModuleInfo(id)?.importedIds ?? []) importClosure(next, graph, found)
  return found
}

/** Packages that find files next to their own, and those that only a hub's operator installs. */
const EXTERNAL = [
  /^@vscode\/tree-sitter-wasm/,
  /^@electric-sql\/pglite/,
  'openid-client',
  'postgres',
  '@opentelemetry/sdk-node',
]

/** Our modules, except the two programs, have no side effects on import. */
const isOurs = (id) =>
  !/[\\/]node_modules[\\/]/.test(id) && !Object.values(PROGRAMS).some((entry) => id.endsWith(entry))

/**
 * The stage uses only memfs' inodes (`overlay/upper.ts`), which are in this core. The rest, streams and a
 * `node:fs`, takes as long to load as Node itself. The core is a separate file, loaded with the first content.
 */
const SMALL_MEMFS = `
export class Volume {
  #core
  get _core() {
    return (this.#core ??= new (require('./memfs-core.js').Superblock)())
  }
}
`
/** Node modules that take milliseconds to load, and the functions that we use. Few commands call them, so they load on the first call. */
const LAZY_BUILTINS = {
  'node:child_process': ['spawn', 'spawnSync'],
  'node:http': ['createServer', 'request'],
  'node:zlib': ['crc32'],
}
const lazyModule = (name) =>
  LAZY_BUILTINS[name].map(
    (each) => `export const ${each} = (...args) => process.getBuiltinModule('${name}').${each}(...args)`,
  )

const lazyModules = {
  name: 'lazy-modules',
  resolveId(id, importer) {
    if (id === 'memfs') return '\0memfs'
    if (id === './memfs-core.js') return { id, external: true }
    // host-programs.ts wraps whole modules, and the command does not use it.
    return id in LAZY_BUILTINS && isOurs(importer) && !importer.endsWith('host-programs.ts') ? `\0${id}` : undefined
  },
  load(id) {
    if (id === '\0memfs') return SMALL_MEMFS
    return id.startsWith('\0node:') ? lazyModule(id.slice(1)).join('\n') : undefined
  },
}

/**
 * Has each dynamic import of a package go through a file of its own. Code from V8's cache cannot import, so a file with an import is
 * never cached (`src/os/code-cache.ts`), and the large ones must have none.
 */
const IMPORTS_APART = {
  name: 'imports-apart',
  renderChunk: (code, { fileName }) => {
    const to = `${'../'.repeat(fileName.split('/').length - 1) || './'}import.js`
    return code.replace(/\bimport\((["'`][@\w][^"'`]*["'`])\)/g, (_, name) => `require(${JSON.stringify(to)})(${name})`)
  },
}

const FIRST_USE = '\0first-use:'

/** The exports of a module: whether each is a function, its name, and the value of a text or a number. */
function exportsIn(file) {
  const text = readFileSync(file, 'utf8')
  if (/^export (?:default|class|let|\{|\*)/m.test(text)) throw new Error(`${file} cannot load on first use.`)
  return [...text.matchAll(/^export (?:(?:async )?(function)\*?|const) (\w+)(?: = ('.*'|\d+)$)?/gm)]
}

/** Has each module of `ON_FIRST_USE` load when another module first uses an export. A schema is an object, so it has a proxy. */
const firstUse = {
  name: 'first-use',
  async resolveId(id, importer, options) {
    if (importer?.startsWith(FIRST_USE)) return { id, external: true }
    if (importer === undefined || LATER.has(importer) || !isOurs(importer)) return undefined
    const found = await this.resolve(id, importer, { ...options, skipSelf: true })
    return found !== null && LATER.has(found.id) ? FIRST_USE + found.id : undefined
  },
  load(id) {
    if (!id.startsWith(FIRST_USE)) return undefined
    const file = id.slice(FIRST_USE.length)
    const each = exportsIn(file)
    return [
      `const load = () => require('../${LATER.get(file)}.js')`,
      'const proxy = (name) => new Proxy({}, { get: (_, key) => load()[name][key], has: (_, key) => key in load()[name] })',
      ...each.map(([, isFunction, name, literal]) => {
        const value = isFunction ? `(...args) => load().${name}(...args)` : (literal ?? `proxy('${name}')`)
        return `export const ${name} = ${value}`
      }),
    ].join('\n')
  },
}

/**
 * Rewrites each import from an `index.ts` of ours to the file that exports the name. Chunks consist of files: through an index
 * each one would load everything that any other needs.
 */
const skipIndexes = {
  name: 'skip-indexes',
  transform: {
    filter: { id: /\.ts$/ },
    handler: (code, id) =>
      code
        .replace(STATIC_IMPORT, (whole, word, names, from) => {
          if (word.includes('type')) return whole
          const homes = exportsBehind(id, from)
          if (homes === undefined) return whole
          return namesOf(names)
            .map(
              ([name, as]) =>
                `${word} { ${homes.get(name).name} as ${as} } from ${JSON.stringify(homes.get(name).file)}`,
            )
            .join(';')
        })
        .replace(DYNAMIC_IMPORT, (whole, name, from) => {
          const home = exportsBehind(id, from)?.get(name)
          return home === undefined
            ? whole
            : `const { ${home.name}: ${name} } = await import(${JSON.stringify(home.file)})`
        }),
  },
}

/** A dynamic import of one name. */
const DYNAMIC_IMPORT = /const \{ (\w+) \} = await import\('(\.[^']*)'\)/g
const STATIC_IMPORT = /^(import(?: type)?|export(?: type)?) \{([^}]*)\} from '(\.[^']*)'/gm

/** The names between braces without types, each with its alias. */
function namesOf(braces) {
  const each = braces.split(',').map((one) => one.trim())
  return each
    .filter((one) => one !== '' && !one.startsWith('type '))
    .map((one) => {
      const [name, as = name] = one.split(' as ')
      return [name, as]
    })
}

/** The exports of the imported index. Undefined for another file. */
function exportsBehind(importer, from) {
  const file = resolve(dirname(importer), from.replace(/\.js$/, '.ts'))
  return /[\\/]index\.ts$/.test(file) ? exportsOf(file) : undefined
}

/** Each name that an index exports, with the file that declares it and its name there. */
function exportsOf(index) {
  const homes = new Map()
  for (const [, word, names, from] of readFileSync(index, 'utf8').matchAll(STATIC_IMPORT)) {
    if (word !== 'export') continue
    const file = resolve(dirname(index), from.replace(/\.js$/, '.ts'))
    for (const [name, as] of namesOf(names)) {
      const inner = /[\\/]index\.ts$/.test(file) ? exportsOf(file).get(name) : undefined
      homes.set(as, inner ?? { file, name })
    }
  }
  return homes
}

const out = resolve(process.argv[2] ?? 'dist/src/cli')
const temporary = `${out}.${process.pid}`
rmSync(temporary, { recursive: true, force: true })
try {
  await write(temporary)
  rmSync(out, { recursive: true, force: true })
  mkdirSync(dirname(out), { recursive: true })
  renameSync(temporary, out)
} finally {
  rmSync(temporary, { recursive: true, force: true })
}

async function write(dir) {
  const bundle = await rolldown({
    cwd: ROOT,
    input: { ...PROGRAMS, ...LAZY_FILES, ...Object.fromEntries([...LATER].map(([file, name]) => [name, file])) },
    platform: 'node',
    external: EXTERNAL,
    transform: { define: { ESCROW_VERSION: JSON.stringify(VERSION), ESCROW_BUILD: JSON.stringify(sourcesDigest()) } },
    plugins: [lazyModules, firstUse, skipIndexes, IMPORTS_APART],
    // The ES module builds of these packages, which allow tree shaking.
    resolve: {
      alias: {
        yaml: join(ROOT, 'node_modules/yaml/browser/dist/index.js'),
        // The UMD build requires its files by names that a bundler cannot resolve.
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
    codeSplitting: { groups: [BEFORE_CACHE, PARSERS, SHARED] },
    // Keep the names of functions, so that the stack trace of a bug report is readable.
    minify: {
      compress: true,
      mangle: { keepNames: { function: true, class: true } },
      codegen: { removeWhitespace: true },
    },
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // One character outside of ASCII doubles the size of a file's text in memory.
    charset: 'ascii',
    comments: { legal: false },
  })
  await bundle.close()
  // CommonJS starts some milliseconds sooner than ES modules.
  writeFileSync(join(dir, 'package.json'), '{"type":"commonjs"}\n')
  writeFileSync(join(dir, 'import.js'), 'module.exports=(name)=>import(name)\n')
  checkFirstUse(dir)
  for (const name of Object.keys(PROGRAMS)) chmodSync(join(dir, `${name}.js`), 0o755)
  writeFileSync(join(dir, 'LICENSES.txt'), licences(output.flatMap((file) => file.moduleIds ?? [])))
}

/** A proxy can replace a schema or a list. It would break any other value, such as a number or a map. */
function checkFirstUse(dir) {
  for (const [file, name] of LATER) {
    const module = createRequire(join(dir, 'main.js'))(`./${name}.js`)
    for (const [, isFunction, each, literal] of exportsIn(file)) {
      const value = module[each]
      const isProxied = !isFunction && literal === undefined
      if (isProxied && !Array.isArray(value) && value?._zod === undefined)
        throw new Error(`${file}: ${each} is neither a function, a schema nor a list, so it cannot load on first use.`)
    }
  }
}

/** Tells builds apart, whose code may make another value of the same text (`src/os/parsed-texts.ts`). */
function sourcesDigest() {
  const hash = createHash('sha256')
  const files = ['src', 'overlay'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  )
  for (const name of [
    ...files.filter((each) => each.endsWith('.ts')).sort(),
    'package-lock.json',
    'package.json',
    'scripts/bundle.mjs',
  ])
    hash
      .update(name)
      .update('\0')
      .update(readFileSync(join(ROOT, name)))
      .update('\0')
  return hash.digest('hex')
}

/** The licence texts of the bundled packages. */
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
