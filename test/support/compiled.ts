import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/utils'
import { sha256hex } from '../../overlay/digest.js'
import { buildPageOnce } from './built-page.js'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const CHILDREN = 'test/children'
const PRODUCT = ['src', 'overlay']
const BUNDLER = 'scripts/bundle.mjs'
const CHILDREN_BUNDLER = 'test/support/bundle-children.mjs'
/** The library's entries that the tests' programs import. They are bundled, because a process that loads hundreds of files starts slowly. */
const LIBRARY = [
  'overlay/public.ts',
  'src/index.ts',
  'src/hooks/index.ts',
  'src/surface/index.ts',
  ...['claude', 'cline', 'mcp', 'roo', 'vscode'].map((host) => `src/agents/${host}/index.ts`),
]
/** Other inputs of the bundles. */
const OTHER_SOURCES = [BUNDLER, CHILDREN_BUNDLER, 'package-lock.json']

/**
 * Compiles the sources and the tests' child programs, and bundles the command as it is published. Runs once for each state of the
 * tree, so no test uses an outdated bundle. Compiled children start in a tenth of a second, so a test can kill fifty of them.
 * @returns the directory that corresponds to the repository's root
 */
export function compileOnce(): string {
  compiledDir ??= compile()
  return compiledDir
}

/**
 * Compiles the sources file by file. Runs once for each state of the tree.
 * @returns the directory that corresponds to the repository's root
 */
export function compileSourcesOnce(): string {
  sourcesDir ??= compileTo('escrowfs-sources', PRODUCT, [], () => undefined)
  return sourcesDir
}

/** Cached, because reading all sources takes a while. */
let [compiledDir, sourcesDir]: (string | undefined)[] = []

function compile(): string {
  return compileTo('escrowfs-children', [...PRODUCT, CHILDREN], OTHER_SOURCES, (out, files) => {
    run(BUNDLER, join(out, 'src/cli'))
    run(CHILDREN_BUNDLER, out, `${CHILDREN}/chunks`, ...files.filter(isChild))
    run(CHILDREN_BUNDLER, out, 'src/bundled', ...LIBRARY)
  })
}

/**
 * Compiles folders into a directory named by the state of the tree.
 * @param others more files that the result depends on
 * @param finish adds the rest, from the names of the compiled files
 */
function compileTo(
  kind: string,
  folders: readonly string[],
  others: readonly string[],
  finish: (out: string, files: readonly string[]) => void,
): string {
  const textOf = (name: string) => readFileSync(join(REPOSITORY, name), 'utf8')
  const files = folders.flatMap(sources).map((name) => [name, textOf(name)] as const)
  // Below node_modules, Node finds the packages, and npm publishes nothing of it.
  const cache = join(REPOSITORY, 'node_modules', '.cache', kind)
  const also = ['test/support/compiled.ts', 'package.json', ...others].map(textOf)
  const page = buildPageOnce()
  const done = join(cache, sha256hex(JSON.stringify([files, also, page])))
  const temporary = `${done}.${process.pid}`
  mkdirSync(temporary, { recursive: true })
  try {
    if (isThere(done)) return done
    for (const [name, text] of files) emit(temporary, name, text)
    finish(
      temporary,
      files.map(([name]) => name),
    )
    mkdirSync(join(temporary, 'dist'))
    symlinkSync(page, join(temporary, 'dist', 'web'))
    copyFileSync(join(REPOSITORY, 'package.json'), join(temporary, 'package.json'))
    renameSync(temporary, done)
  } catch (error) {
    // Another process was faster.
    if (!isThere(done)) throw error
  } finally {
    rmSync(temporary, { recursive: true, force: true })
  }
  return done
}

/** Whether a file is a child program, except for the one that is the command's bundle. */
function isChild(name: string): boolean {
  return name.startsWith(`${CHILDREN}/`) && name !== `${CHILDREN}/escrow.ts`
}

function run(bundler: string, ...args: string[]): void {
  const command = [join(REPOSITORY, bundler), ...args]
  const { status, stderr } = spawnSync(process.execPath, command, { cwd: REPOSITORY, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${bundler} failed: ${stderr}`)
}

function sources(folder: string): string[] {
  return readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
    .sort()
}

function isThere(dir: string): boolean {
  return existsSync(join(dir, 'package.json'))
}

function emit(out: string, name: string, text: string): void {
  const { code, errors, map } = transformSync(name, text, {
    tsconfig: false,
    sourcemap: true,
    target: 'es2023',
    typescript: { onlyRemoveTypeImports: true },
  })
  if (errors.length > 0) throw new Error(`${name} cannot be compiled: ${errors.map(String).join('; ')}`)
  const path = join(out, name.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${code}//# sourceMappingURL=${basename(path)}.map\n`)
  writeFileSync(`${path}.map`, JSON.stringify({ ...map, sources: [join(REPOSITORY, name)] }))
}
