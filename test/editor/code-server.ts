import { spawn } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from '../../examples/vscode-extension/build.mjs'
import { freePort } from '../support/free-port.js'
import { installCodeServer } from './installed.js'

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url))
const EXTENSION = join(REPOSITORY, 'examples', 'vscode-extension')

/** The timeout for its first response, in milliseconds. */
const START_MS = 60_000

/** Settings of a person: no welcome page, no chat, verdicts above each hunk. */
const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.enableExperiments': false,
  'window.autoDetectColorScheme': true,
  'chat.disableAIFeatures': true,
  'telemetry.telemetryLevel': 'off',
  'diffEditor.codeLens': true,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
}

export interface RunningEditor {
  /** The address of a folder in the editor. */
  address(folder: string): string
  close(): Promise<void>
}

/** Starts code-server with the current extension. Closing it removes its state and settings. */
export async function startEditor(): Promise<RunningEditor> {
  const { node, entry } = installCodeServer()
  const home = mkdtempSync(join(tmpdir(), 'escrow-code-server-'))
  const extension = join(home, 'extensions', 'escrowfs.escrowfs-review-0.1.0')
  await build(join(extension, 'dist'), {
    index: join(REPOSITORY, 'src/index.ts'),
    vscode: join(REPOSITORY, 'src/agents/vscode/index.ts'),
  })
  cpSync(join(EXTENSION, 'package.json'), join(extension, 'package.json'))
  cpSync(join(EXTENSION, 'media'), join(extension, 'media'), { recursive: true })
  mkdirSync(join(home, 'data', 'User'), { recursive: true })
  writeFileSync(join(home, 'data', 'User', 'settings.json'), JSON.stringify(SETTINGS))
  writeFileSync(join(home, 'config.yaml'), 'auth: none\n')
  const port = await freePort()
  const places = ['--config', 'config.yaml', '--user-data-dir', 'data', '--extensions-dir', 'extensions']
  const quiet = ['--disable-telemetry', '--disable-update-check', '--disable-workspace-trust']
  const server = spawn(node, [entry, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, ...places, ...quiet], {
    cwd: home,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))
  const output: string[] = []
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (part) => output.push(String(part)))
  const base = `http://127.0.0.1:${port}/`
  await untilItAnswers(base, () => output.join(''))
  return {
    address: (folder) => `${base}?folder=${encodeURIComponent(folder)}`,
    async close() {
      // Its extension hosts are in its process group.
      if (server.pid !== undefined && server.exitCode === null) process.kill(-server.pid, 'SIGTERM')
      await ended
      rmSync(home, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

async function untilItAnswers(base: string, output: () => string): Promise<void> {
  const end = Date.now() + START_MS
  while (Date.now() < end) {
    const answer = await fetch(`${base}healthz`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((next) => setTimeout(next, 200))
  }
  throw new Error(`code-server did not answer:\n${output()}`)
}
