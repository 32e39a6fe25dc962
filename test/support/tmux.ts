import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

export interface TerminalOptions {
  /** 80 unless told. */
  readonly columns?: number
  /** 24 unless told. */
  readonly rows?: number
  readonly cwd?: string
  /** Beside this process's own; undefined takes one away. */
  readonly env?: NodeJS.ProcessEnv
}

/** A terminal with one program in it, which a test types into and looks at as a person would. */
export interface Terminal {
  /** Types characters as they are. */
  type(text: string): void
  /** Presses a key by the name tmux has for it: `Enter`, `Escape`, `Up`, `C-c`, `PageDown`. */
  key(name: string): void
  /** What is seen now, blank ends of lines cut. After the program's end: what it left. */
  screen(options?: { readonly colors?: boolean }): string
  /** Waits until the screen has it. Rejects with the screen as it is after 30 seconds. */
  waitFor(pattern: string | RegExp): Promise<string>
  resize(columns: number, rows: number): void
  /** The program's exit code, 128 and the number of the signal that ended it; undefined while it runs. */
  exitCode(): number | undefined
  /** Waits for the program's end. */
  ended(): Promise<number>
  /** Ends the program and the terminal. The test's end does it too. */
  close(): void
}

const PATIENCE_MS = 30_000

/** Starts a command line of sh in a terminal of its own, gone when the test is. */
export function start(command: string, options: TerminalOptions = {}): Terminal {
  const { columns = 80, rows = 24, cwd = process.cwd(), env = {} } = options
  const dir = mkdtempSync(join(tmpdir(), 'escrowfs-tmux-'))
  const tmux = (...args: string[]) =>
    execFileSync('tmux', ['-S', join(dir, 'socket'), '-f', '/dev/null', ...args], {
      env: { ...process.env, TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', TMUX: undefined, ...env },
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  const close = () => {
    try {
      tmux('kill-server')
    } catch {
      // It is gone already.
    }
    rmSync(dir, { recursive: true, force: true })
  }
  onTestFinished(close)
  const size = ['-x', String(columns), '-y', String(rows)]
  const set = (name: string, value: string) => ['set-option', '-g', name, value, ';']
  const settings = [...set('remain-on-exit', 'on'), ...set('status', 'off'), ...set('escape-time', '0')]
  // What tmux itself knows of an end comes late, and at times not at all.
  const left = join(dir, 'code')
  const program = `trap : INT QUIT; (trap - INT QUIT; ${command}\n); echo $? > '${left}'`
  tmux('start-server', ';', ...settings, 'new-session', '-d', ...size, '-c', cwd, program)
  // Where all has ended, tmux says so in a line of its own below.
  const lines = (colors: boolean) => tmux('capture-pane', '-p', ...(colors ? ['-e'] : []))
  const exitCode = () => {
    const code = existsSync(left) ? readFileSync(left, 'utf8').trim() : ''
    return code === '' ? undefined : Number(code)
  }
  const screen = ({ colors = false } = {}) => lines(colors).replace(/ +$/gm, '').trimEnd()
  const until = async <T>(look: () => T | undefined, what: string): Promise<T> => {
    for (const end = Date.now() + PATIENCE_MS; ; await sleep(20)) {
      const seen = look()
      if (seen !== undefined) return seen
      if (Date.now() > end) throw new Error(`Waited for ${what}; the screen has:\n${screen()}`)
    }
  }
  const has = (pattern: string | RegExp) => {
    const text = screen()
    return (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)) ? text : undefined
  }
  return {
    type: (text) => void tmux('send-keys', '-l', '--', text),
    key: (name) => void tmux('send-keys', name),
    screen,
    waitFor: (pattern) => until(() => has(pattern), String(pattern)),
    resize: (width, height) => void tmux('resize-window', '-x', String(width), '-y', String(height)),
    exitCode,
    ended: () => until(exitCode, "the program's end"),
    close,
  }
}
