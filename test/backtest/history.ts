import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import { findHistories } from '../../src/backtest/find-files.js'
import { emptyCounts, type ReadCounts, readHistories } from '../../src/backtest/read-history.js'
import type { RecordedCall } from '../../src/backtest/recorded.js'

/**
 * Writes histories into a new directory, which is removed after the test. A value that is not a string is written as
 * lines of JSON.
 */
export function histories(files: Readonly<Record<string, string | readonly unknown[]>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'escrow-history-')))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), typeof content === 'string' ? content : lines(content))
  }
  return root
}

export function lines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('')
}

export function readAll(...roots: readonly string[]): { readonly calls: RecordedCall[]; readonly counts: ReadCounts } {
  const counts = emptyCounts()
  return { calls: [...readHistories({ files: findHistories(roots), counts })], counts }
}

/** The calls of the histories in `test/clients/history.test.ts`: each client's model read a file, ran a command and wrote a file. */
export function expectedCalls(client: string, cwd: string): [host: string, tool: string, cwd: string][] {
  return (TOOLS[client] ?? []).map((tool) => [client, tool, cwd])
}

const TOOLS: Readonly<Record<string, readonly string[]>> = {
  claude: ['Read', 'Bash', 'Write'],
  codex: ['Bash', 'Bash', 'apply_patch'],
  gemini: ['read_file', 'run_shell_command', 'write_file'],
  opencode: ['read', 'bash', 'write'],
  cline: ['read_files', 'run_commands', 'editor'],
}

let ids = 0

/** A line of Claude Code with one tool call. */
export function claudeLine(name: string, input: object, more: object = {}): object {
  const content = [{ type: 'tool_use', id: `toolu_${++ids}`, name, input }]
  return {
    type: 'assistant',
    sessionId: 's1',
    cwd: '/home/ada/shop',
    message: { role: 'assistant', content },
    ...more,
  }
}
