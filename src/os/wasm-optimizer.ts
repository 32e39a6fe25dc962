/**
 * The approximate number of bytes of WebAssembly that a function executes before V8 optimizes it. Below 2^31, as for
 * every flag of V8.
 */
const TIERING_WORK = 2_000_000_000

let isOurs = false

/**
 * Records that the process runs one of our programs. V8's flags apply to the whole process, so the library sets none in
 * a host's process.
 */
export function allowProcessFlags(): void {
  isOurs = true
}

/**
 * Call it before WebAssembly is loaded. On Node 20, V8 optimizes a function after a few milliseconds of work. For the shell grammar
 * that takes 0.3 s, in the first parse of a command line, and a process does not exit before its end. With this flag, V8 optimizes only
 * in a process that parses for seconds. Later releases do not optimize so early.
 */
export function delayWasmOptimizer(): void {
  if (!isOurs || !process.versions.v8.startsWith('11.')) return
  // An import would load the module at each start of a command, which takes a millisecond.
  process.getBuiltinModule('node:v8').setFlagsFromString(`--wasm-tiering-budget=${TIERING_WORK}`)
}
