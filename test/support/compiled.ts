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
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'rolldown/utils'
import { sha256hex } from '../../overlay/digest.js'
import { buildPageOnce } from './built-page.js'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const CHILDREN = 'test/children'
const FOLDERS = ['src', 'overlay', CHILDREN]
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
const OTHER_SOURCES = [BUNDLER, CHILDREN_BUNDLER, 'test/support/compiled.ts', 'package.json', 'package-lock.json']

/**
 * Compiles the sources and the tests' child programs, and bundles the command as it is published. Runs once for each state of the
 * tree, so no test uses an outdated bundle. Compiled children start in a tenth of a second, so a test can kill fifty of them.
 * @returns the directory that corresponds to the repository's root
 */
export function compileOnce(): string {
  compiledDir ??= compile()
  return compiledDir
}

/** Cached, because reading all sources takes a while. */
let compiledDir: string | undefined

function compile(): string {
  const files = FOLDERS.flatMap((folder) => sources(folder)).map(
    (name) => [name, readFileSync(join(REPOSITORY, name), 'utf8')] as const,
  )
  // Below node_modules, Node finds the packages, and npm publishes nothing of it.
  const cache = join(REPOSITORY, 'node_modules', '.cache', 'escrowfs-children')
  const also = OTHER_SOURCES.map((name) => readFileSync(join(REPOSITORY, name), 'utf8'))
  const page = buildPageOnce()
  const done = join(cache, sha256hex(JSON.stringify([files, also, page])))
  const temporary = `${done}.${process.pid}`
  mkdirSync(temporary, { recursive: true })
  try {
    if (isThere(done)) return done
    for (const [name, text] of files) emit(temporary, name, text)
    run(BUNDLER, join(temporary, 'src/cli'))
    const children = files.flatMap(([name]) => (isChild(name) ? [name] : []))
    run(CHILDREN_BUNDLER, temporary, `${CHILDREN}/chunks`, ...children)
    run(CHILDREN_BUNDLER, temporary, 'src/bundled', ...LIBRARY)
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
  const { code, errors } = transformSync(name, text, {
    tsconfig: false,
    target: 'es2023',
    typescript: { onlyRemoveTypeImports: true },
  })
  if (errors.length > 0) throw new Error(`${name} cannot be compiled: ${errors.map(String).join('; ')}`)
  const path = join(out, name.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, code)
}
