import { setFlagsFromString } from 'node:v8'

/** About the bytes of WebAssembly that a function executes before V8 optimizes it. Below 2^31, as for every flag of V8. */
const TIERING_WORK = 2_000_000_000

/**
 * On Node 20, V8 optimizes a WebAssembly function after a few milliseconds of work. For the shell grammar that takes 0.3 s, in the first
 * parse of a command line, and a process does not exit before its end. With this budget, V8 optimizes only in a process that parses for
 * seconds. Later releases do not optimize so early. The flag is for the whole process, so only programs of ours set it, not the library.
 */
export function delayWasmOptimizer(): void {
  if (process.versions.v8.startsWith('11.')) setFlagsFromString(`--wasm-tiering-budget=${TIERING_WORK}`)
}
