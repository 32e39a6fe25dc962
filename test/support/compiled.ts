import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { sha256hex } from '../../overlay/digest.js'

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = ['src', 'overlay', 'test/children']

/**
 * The sources and the tests' child programs as JavaScript, made once for each state of the tree: a child that starts in
 * a tenth of a second can be killed fifty times.
 * @returns the directory that stands for the repository's root.
 */
export function compiled(): string {
  const files = FOLDERS.flatMap((folder) => sources(folder)).map(
    (name) => [name, readFileSync(join(REPOSITORY, name), 'utf8')] as const,
  )
  // Below node_modules the packages are found, and nothing of it is ever published.
  const cache = join(REPOSITORY, 'node_modules', '.cache', 'escrowfs-children')
  const done = join(cache, sha256hex(JSON.stringify(files)))
  const making = `${done}.${process.pid}`
  mkdirSync(making, { recursive: true })
  try {
    if (isThere(done)) return done
    for (const [name, text] of files) emit(making, name, text)
    writeFileSync(join(making, 'package.json'), '{"type":"module"}')
    renameSync(making, done)
  } catch (error) {
    // Another test was faster.
    if (!isThere(done)) throw error
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
  return done
}

function sources(folder: string): string[] {
  return ts.sys
    .readDirectory(join(REPOSITORY, folder), ['.ts'])
    .map((path) => path.slice(REPOSITORY.length))
    .sort()
}

function isThere(dir: string): boolean {
  return ts.sys.fileExists(join(dir, 'package.json'))
}

function emit(out: string, name: string, text: string): void {
  const { outputText } = ts.transpileModule(text, {
    fileName: name,
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true },
  })
  const path = join(out, name.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, outputText)
}
