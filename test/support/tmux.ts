import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished } from 'vitest'

export interface TerminalOptions {
  /** By default 80. */
  readonly columns?: number
  /** By default 24. */
  readonly rows?: number
  readonly cwd?: string
  /** Variables added to those of this process. Undefined removes one. */
  readonly env?: NodeJS.ProcessEnv
}

/** A terminal with one program, driven by keys and read as a screen. */
export interface Terminal {
  /** Types characters literally. */
  type(text: string): void
  /** Presses a key by its tmux name: `Enter`, `Escape`, `Up`, `C-c`, `PageDown`. */
  key(name: string): void
  /** The visible text without trailing spaces. After the program's end, its last screen. */
  screen(options?: { readonly colors?: boolean }): string
  /** Waits until the screen matches. Rejects with the screen after 30 seconds. */
  waitFor(pattern: string | RegExp): Promise<string>
  resize(columns: number, rows: number): void
  /** The program's exit code, or 128 plus the signal's number. Undefined while it runs. */
  exitCode(): number | undefined
  /** Waits for the program to exit. Resolves to its code. */
  waitForExit(): Promise<number>
  /** Ends the program and the terminal, as the end of the test does. */
  close(): void
}

const PATIENCE_MS = 30_000

/** Starts a shell command in a new terminal, which is closed after the test. */
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
      // The server has exited already.
    }
    rmSync(dir, { recursive: true, force: true })
  }
  onTestFinished(close)
  const size = ['-x', String(columns), '-y', String(rows)]
  const set = (name: string, value: string) => ['set-option', '-g', name, value, ';']
  const settings = [...set('remain-on-exit', 'on'), ...set('status', 'off'), ...set('escape-time', '0')]
  // tmux reports an exit late, or sometimes not at all.
  const exitFile = join(dir, 'code')
  const program = `trap : INT QUIT; (trap - INT QUIT; ${command}\n); echo $? > '${exitFile}'`
  tmux('start-server', ';', ...settings, 'new-session', '-d', ...size, '-c', cwd, program)
  // After the exit, tmux adds a line below.
  const lines = (colors: boolean) => tmux('capture-pane', '-p', ...(colors ? ['-e'] : []))
  const exitCode = () => {
    const code = existsSync(exitFile) ? readFileSync(exitFile, 'utf8').trim() : ''
    return code === '' ? undefined : Number(code)
  }
  const screen = ({ colors = false } = {}) => lines(colors).replace(/ +$/gm, '').trimEnd()
  const poll = async <T>(read: () => T | undefined, what: string): Promise<T> => {
    for (const end = Date.now() + PATIENCE_MS; ; await sleep(20)) {
      const result = read()
      if (result !== undefined) return result
      if (Date.now() > end) throw new Error(`Waited for ${what}; the screen has:\n${screen()}`)
    }
  }
  const matchScreen = (pattern: string | RegExp) => {
    const text = screen()
    return (typeof pattern === 'string' ? text.includes(pattern) : pattern.test(text)) ? text : undefined
  }
  return {
    type: (text) => void tmux('send-keys', '-l', '--', text),
    key: (name) => void tmux('send-keys', name),
    screen,
    waitFor: (pattern) => poll(() => matchScreen(pattern), String(pattern)),
    resize: (width, height) => void tmux('resize-window', '-x', String(width), '-y', String(height)),
    exitCode,
    waitForExit: () => poll(exitCode, "the program's end"),
    close,
  }
}
