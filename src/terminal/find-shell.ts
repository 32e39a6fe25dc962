import type { ChildProcess } from 'node:child_process'
import { shellWord } from '../core/shell-word.js'
import { holdProcess, killGroup, startProgram } from '../os/child.js'

/** Bytes of output that are read. */
const MAX_OUTPUT = 64 * 2 ** 20
/** Descriptor 3 is the output of find. Its stderr becomes a text. */
const START = 'exec 3>&1\n'
/** Largest number of bytes that mark the end of an answer: see {@link requestOf}. */
const END_BYTES = 6

/**
 * Runs find(1) in a shell that keeps running. Starting a program takes a large process several milliseconds, because the kernel copies its page
 * tables. A small shell starts find in less than one. The shell ends with its input, so also when this process is killed.
 */
export class FindShell {
  #child: ChildProcess | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** @param startShell starts a shell that reads commands */
  constructor(private readonly startShell = () => startProgram('sh', [], ['pipe', 'pipe', 'ignore'])) {}

  /** Starts the shell, if none runs. Never throws: {@link run} tries again. */
  start(): void {
    try {
      this.#running()
    } catch {
      // There is no memory for another process, for example.
    }
  }

  /**
   * Resolves with the output of find; undefined if find failed in any way, or wrote to stderr. Never rejects.
   * @param args paths, and expressions that end with `-print0`
   */
  run(args: readonly string[]): Promise<Buffer | undefined> {
    const answer = this.#last.then(() => this.#ask(this.#running(), requestOf(args))).catch(() => undefined)
    this.#last = answer
    return answer
  }

  /** Ends the shell. A search in progress fails. */
  close(): void {
    if (this.#child !== undefined) killGroup(this.#child)
    this.#child = undefined
  }

  #running(): ChildProcess {
    if (this.#child !== undefined) return this.#child
    const child = this.startShell()
    const forget = () => {
      if (this.#child === child) this.#child = undefined
    }
    child.on('error', forget).on('close', forget)
    child.stdin?.on('error', () => undefined)
    child.stdin?.write(START)
    holdProcess(child, false)
    this.#child = child
    return child
  }

  async #ask(child: ChildProcess, request: string): Promise<Buffer | undefined> {
    holdProcess(child, true)
    child.stdin?.write(request)
    const output = await answerOf(child)
    if (output === undefined) this.close()
    else holdProcess(child, false)
    return output?.status === '0' ? output.found : undefined
  }
}

/** The shell prints a NUL, the status and a NUL after the output, in which no path is empty. */
function requestOf(args: readonly string[]): string {
  const find = `find ${args.map(shellWord).join(' ')}`
  return `errors=$(${find} 2>&1 >&3 3>&- </dev/null) && [ -z "$errors" ]; printf '\\0%s\\0' $?\n`
}

/** Reads one answer. Undefined if the shell ended before, or wrote too much. */
function answerOf(child: ChildProcess): Promise<{ readonly found: Buffer; readonly status: string } | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  /** As if a path had come before the first output. */
  let last = '\0'
  return new Promise((resolve) => {
    const finish = (answer?: { readonly found: Buffer; readonly status: string }) => {
      child.stdout?.off('data', read)
      child.off('error', fail).off('close', fail)
      resolve(answer)
    }
    const fail = () => finish()
    const read = (chunk: Buffer) => {
      chunks.push(chunk)
      size += chunk.length
      if (size > MAX_OUTPUT) return fail()
      last = (last + chunk.toString('latin1', Math.max(0, chunk.length - END_BYTES))).slice(-END_BYTES)
      const status = /\0\0(\d+)\0$/.exec(last)?.[1]
      if (status === undefined) return
      finish({ found: Buffer.concat(chunks).subarray(0, -(status.length + 2)), status })
    }
    child.stdout?.on('data', read)
    child.once('error', fail).once('close', fail)
  })
}
