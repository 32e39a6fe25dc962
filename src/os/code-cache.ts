import module from 'node:module'
import { dirname, sep } from 'node:path'
import vm from 'node:vm'
import { formatCode, readCode } from './code-file.js'
import { keepCode } from './keep-code.js'

/** Node calls a file in CommonJS as this function. */
const FUNCTION = '(function (exports, require, module, __filename, __dirname) { '

/** A module that is about to run. */
interface LoadedModule {
  exports: unknown
}

/** The part of `node:module` that compiles. Node calls it for each file in CommonJS. */
export interface Compiler {
  readonly prototype: {
    require(id: string): unknown
    _compile?(this: LoadedModule, content: string, filename: string, ...rest: unknown[]): unknown
  }
}

/**
 * Does for Node 20 what `module.enableCompileCache` of newer versions does, by `cachedData` of `vm.Script`
 * (https://nodejs.org/docs/latest-v20.x/api/vm.html).
 *
 * Compiles the files of a directory with the code that an earlier process kept. When the process exits with 0, it keeps what was
 * compiled, if anything was new.
 * @param file holds the code; absent at first
 * @param directory of the bundle, whose files are in CommonJS and never change
 */
export function reuseCode(file: string, directory: string, { prototype }: Compiler = module): void {
  const compile = prototype._compile
  if (compile === undefined) return
  const cached = readCode(file)
  const scripts = new Map<string, vm.Script>()
  let isNew = false
  prototype._compile = function (content, filename, ...rest) {
    // Code from V8's cache cannot use dynamic imports, because a cached script has lost its import function.
    if (!filename.startsWith(directory + sep) || content.includes('import('))
      return compile.call(this, content, filename, ...rest)
    const name = filename.slice(directory.length + 1)
    const script = new vm.Script(`${FUNCTION}${content}\n})`, {
      filename,
      // The column of an error is then that of the file.
      columnOffset: -FUNCTION.length,
      cachedData: cached.get(name),
    })
    isNew ||= script.cachedDataRejected !== false
    scripts.set(name, script)
    const run: (...values: readonly unknown[]) => unknown = script.runInThisContext()
    const require = module.createRequire(filename)
    return run.call(this.exports, this.exports, require, this, filename, dirname(filename))
  }
  process.once('exit', (status) => {
    if (!isNew || status !== 0) return
    const compiled = new Map([...scripts].map(([name, script]) => [name, script.createCachedData()]))
    keepCode(file, formatCode(new Map([...cached, ...compiled])))
  })
}
