/** Approximate number of bytes of WebAssembly that a function executes before V8 optimizes it. */
const LATE = 2_000_000_000
/** V8's default limit in V8 11 (Node 20), and in all later releases. */
const BY_DEFAULT = process.versions.v8.startsWith('11.') ? 1_800_000 : 13_000_000

/** How many loads are under way. */
let loads = 0

/**
 * Loads WebAssembly whose functions V8 optimizes only in a process that runs them for seconds. By default, V8 optimizes a function
 * after a few milliseconds of work. For the shell grammar that takes up to 0.5 s of processor time (Node 20 to 24), in the first parse
 * of a command line, and a process does not exit before its end.
 *
 * V8 has this limit as a flag of the process, and a module keeps the limit that was valid when it was loaded. Therefore, the flag differs
 * only while `load` runs, and other modules of a host's process have the default. A process that was started with the flag keeps it.
 */
export async function loadOptimizedLate<T>(load: () => Promise<T>): Promise<T> {
  if (process.execArgv.some((each) => /tiering[-_]budget/.test(each))) return load()
  if (loads++ === 0) setLimit(LATE)
  try {
    return await load()
  } finally {
    if (--loads === 0) setLimit(BY_DEFAULT)
  }
}

function setLimit(bytes: number): void {
  // An import would load the module at each start of a command, which takes a millisecond.
  process.getBuiltinModule('node:v8').setFlagsFromString(`--wasm-tiering-budget=${bytes}`)
}
