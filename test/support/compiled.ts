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
import { builtPage } from './built-page.js'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['src', 'overlay', 'test/children']
const BUNDLER = 'scripts/bundle.mjs'
/** What the command's bundle is made of, beside the sources. */
const ALSO = [BUNDLER, 'package.json', 'package-lock.json']

/**
 * The sources and the tests' child programs as JavaScript, the command bundled as it is published. Made once for each state of the
 * tree, so no test meets a bundle of other sources: a child that starts in a tenth of a second can be killed fifty times.
 * @returns the directory that stands for the repository's root.
 */
export function compiled(): string {
  made ??= make()
  return made
}

/** A process asks often, and to read all sources takes a while. */
let made: string | undefined

function make(): string {
  const files = FOLDERS.flatMap((folder) => sources(folder)).map(
    (name) => [name, readFileSync(join(REPOSITORY, name), 'utf8')] as const,
  )
  // Below node_modules the packages are found, and nothing of it is ever published.
  const cache = join(REPOSITORY, 'node_modules', '.cache', 'escrowfs-children')
  const also = ALSO.map((name) => readFileSync(join(REPOSITORY, name), 'utf8'))
  const page = builtPage()
  const done = join(cache, sha256hex(JSON.stringify([files, also, page])))
  const making = `${done}.${process.pid}`
  mkdirSync(making, { recursive: true })
  try {
    if (isThere(done)) return done
    for (const [name, text] of files) emit(making, name, text)
    bundle(join(making, 'src/cli'))
    mkdirSync(join(making, 'dist'))
    symlinkSync(page, join(making, 'dist', 'web'))
    copyFileSync(join(REPOSITORY, 'package.json'), join(making, 'package.json'))
    renameSync(making, done)
  } catch (error) {
    // Another test was faster.
    if (!isThere(done)) throw error
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  return done
}

function bundle(into: string): void {
  const { status, stderr } = spawnSync(process.execPath, [join(REPOSITORY, BUNDLER), into], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`The command cannot be bundled: ${stderr}`)
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
