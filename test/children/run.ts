import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { onTestFinished } from 'vitest'
import { compileOnce } from '../support/compiled.js'

export interface Child {
  readonly process: ChildProcess
  /** The next line of its output; undefined at its end. */
  line(): Promise<string | undefined>
  say(line: string): void
  /** Kills it. Resolves at its end. */
  kill(signal?: NodeJS.Signals): Promise<void>
  /** Ends its input and waits. */
  end(): Promise<void>
}

/** Starts a TypeScript file of this directory as a process that ends with the test. */
export function startChild(file: string, ...args: string[]): Child {
  const command = [`${compileOnce()}/test/children/${file.replace(/ts$/, 'js')}`, ...args]
  const child = spawn(process.execPath, command, { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines: string[] = []
  const waiting: ((line: string | undefined) => void)[] = []
  let rest = ''
  let ended = false
  child.stdout.on('data', (data: Buffer) => {
    const parts = (rest + data.toString()).split('\n')
    rest = parts.pop() ?? ''
    for (const part of parts) {
      const next = waiting.shift()
      if (next) next(part)
      else lines.push(part)
    }
  })
  const closed = once(child, 'close').then(() => {
    ended = true
    for (const next of waiting.splice(0)) next(undefined)
  })
  child.stdin.on('error', () => undefined)
  const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
    child.kill(signal)
    await closed
  }
  onTestFinished(() => kill())
  return {
    process: child,
    line: async () => lines.shift() ?? (ended ? undefined : new Promise((resolve) => waiting.push(resolve))),
    say: (line) => child.stdin.write(`${line}\n`),
    kill,
    async end() {
      child.stdin.end()
      await closed
    },
  }
}
