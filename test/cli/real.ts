import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { library } from '../../src/cli/library.js'
import type { Prompts } from '../../src/cli/prompts.js'
import { run } from '../../src/cli/run.js'
import { compileOnce } from '../support/compiled.js'

/** The exit code and output of a command line. */
export interface CommandOutput {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs a command line in this process on a real workspace. @param ask answers its questions; without it nobody does */
export async function escrowAt(root: string, argv: readonly string[], ask?: Prompts): Promise<CommandOutput> {
  const output = { code: -1, out: '', err: '' }
  const io = {
    out: (text: string) => {
      output.out += text
    },
    err: (text: string) => {
      output.err += text
    },
    terminal: false,
    cwd: root,
    color: false,
    version: '1.2.3',
    ...(ask && { ask: async () => ask }),
  }
  output.code = await run(argv, io, async () => library)
  return output
}

const program = () => `${compileOnce()}/test/children/escrow.js`

/** Runs the command as a program does, without a terminal, to its end. */
export function runEscrow(
  cwd: string,
  args: readonly string[],
  { input = '', env = process.env }: { readonly input?: string; readonly env?: NodeJS.ProcessEnv } = {},
) {
  const options = { cwd, input, env, encoding: 'utf8' } as const
  const { status, stdout, stderr } = spawnSync(process.execPath, [program(), ...args], options)
  return { status, stdout, stderr }
}

/** Starts a command that serves, until the test ends. Rejects with what it wrote if it ends before it prints its address. */
export function startEscrow(cwd: string, ...args: string[]): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, [program(), ...args], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  return new Promise((resolve, reject) => {
    let [output, errors] = ['', '']
    child.stderr.on('data', (chunk) => {
      errors += String(chunk)
    })
    child.once('close', () => reject(new Error(errors)))
    child.stdout.on('data', (chunk) => {
      output += String(chunk)
      if (output.endsWith('\n')) resolve({ child, url: output.trim() })
    })
  })
}
