import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect } from 'vitest'
import { compileOnce } from '../support/compiled.js'
import { type Block, fileOf, matchesOutput, normalizeOutput, stepsOf } from './readme-blocks.js'

export const project = fileURLToPath(new URL('../../', import.meta.url))

/** Creates a reader's directory with the package of the current source, where npm installs it. Its library is a bundle. */
export function readersHome(): string {
  const home = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'escrowfs-reader-')))
  const place = `${home}/node_modules/escrowfs`
  fs.mkdirSync(`${home}/node_modules/.bin`, { recursive: true })
  fs.mkdirSync(place)
  fs.copyFileSync(`${project}package.json`, `${place}/package.json`)
  fs.symlinkSync(`${project}node_modules`, `${place}/node_modules`)
  fs.mkdirSync(`${place}/dist`)
  const made = compileOnce()
  // Node takes four times as long for six hundred files.
  const copied = spawnSync('cp', ['-R', `${made}/src`, `${made}/overlay`, `${place}/dist`])
  if (copied.status !== 0) throw new Error(`The package cannot be copied: ${copied.stderr}`)
  const { bin } = JSON.parse(fs.readFileSync(`${place}/package.json`, 'utf8')) as {
    bin: Record<'escrow' | 'escrow-sh', string>
  }
  for (const program of Object.values(bin)) fs.chmodSync(`${place}/${program}`, 0o755)
  for (const [name, program] of Object.entries(bin))
    fs.symlinkSync(`../escrowfs/${program}`, `${home}/node_modules/.bin/${name}`)
  fs.writeFileSync(`${home}/.gitconfig`, '[user]\n\tname = Ada\n\temail = ada@example.org\n')
  return home
}

/** Gives the suite a reader's directory, and removes it after the last test. */
export function useReader(): { readonly home: string } {
  const reader = { home: '' }
  beforeAll(() => {
    reader.home = readersHome()
  })
  afterAll(() => fs.rmSync(reader.home, { recursive: true, force: true }))
  return reader
}

export interface Typed {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A shell that keeps its state between commands. */
export function openShell(home: string, more: NodeJS.ProcessEnv = {}): (command: string) => Typed {
  let cwd = home
  const env = {
    ...process.env,
    PATH: `${home}/node_modules/.bin:${process.env.PATH}`,
    NO_COLOR: '1',
    ...more,
  }
  return (command) => {
    const ran = spawnSync('bash', ['-c', `${command}\nstatus=$?; pwd >&3; exit $status`], {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    cwd = String(ran.output[3]).trimEnd()
    return ran
  }
}

/** Commands that only a person at a terminal may run. */
const ACCEPTS =
  /^escrow (trust|migrate|approve|reject|commit|discard|undo|answer|tick|edit|intents (add|edit|scope|select|complete|status)|quarantine|verify --(join|anchor))\b/

/** This shell has no terminal, so Ada's reviewer key proves that she accepts. */
function reviewerKey(shell: (command: string) => Typed): string {
  const { file } = JSON.parse(shell('escrow keys --reviewer --json').stdout) as { file: string }
  return `ESCROW_REVIEWER_KEY='${file}'`
}

/** Types a document's blocks from top to bottom as Ada, and expects the printed output. */
export function typeAll(blocks: readonly Block[], home: string): void {
  // Each reader has a state directory: the launcher in it starts the package of this reader, not of another document's.
  const shell = openShell(home, { HOME: home, XDG_STATE_HOME: `${home}/.local/state` })
  const type = (command: string): string => {
    const { status, stdout, stderr } = shell(command)
    // A program's output is on stdout, and its summary on stderr. A terminal shows both.
    const isRun = /^escrow (?:run|start|check) /.test(command)
    expect([command, isRun ? '' : stderr, status]).toEqual([command, '', 0])
    return isRun ? (command.startsWith('escrow check') ? stderr + stdout : stdout + stderr) : stdout
  }
  let key: string | undefined
  const accept = (command: string) => {
    if (!ACCEPTS.test(command)) return command
    // A person has one key for all workspaces.
    key ??= reviewerKey(shell)
    return `export ${key}; ${command}`
  }
  for (const block of blocks) {
    if (block.language === 'sh') continue
    if (block.language !== 'console') {
      fs.writeFileSync(path.join(type('pwd').trimEnd(), fileOf(block)), block.text)
      continue
    }
    for (const { command, output } of stepsOf(block)) {
      const [shown, printed] = [normalizeOutput(output, home), normalizeOutput(type(accept(command)), home)]
      if (!matchesOutput(shown, printed)) expect(printed, `line ${block.line}: ${command}`).toBe(shown)
    }
  }
}
