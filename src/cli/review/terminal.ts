import { createInterface, emitKeypressEvents } from 'node:readline'
import { PassThrough } from 'node:stream'
import { keyName, type RawKey } from './keys.js'
import { paint } from './paint.js'
import type { Size } from './state.js'
import type { Charset, Line } from './text.js'

/** A full-screen terminal. Its former state is restored in every case, also when the process exits. */
export interface Terminal {
  readonly charset: Charset
  size(): Size
  /** Writes the lines that differ from the screen. */
  draw(lines: readonly Line[]): void
  /** Clears the screen, so that the next draw writes every line. */
  invalidate(): void
  /** Leaves the full screen while `work` uses the terminal. */
  runOutside<T>(work: () => Promise<T>): Promise<T>
  /** Suspends the job (Ctrl-Z). Resolves once it is in the foreground again. */
  suspend(): Promise<void>
  close(): void
}

type EndingSignal = 'SIGTERM' | 'SIGHUP' | 'SIGINT' | 'SIGQUIT'

export interface Listener {
  key(name: string): void
  onResize(size: Size): void
  /** The process received a signal to end. */
  onSignal(signal: EndingSignal): void
}

/** Alternate screen, hidden cursor, no wrapping, bracketed paste; and the reverse. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h'
const LEAVE = '\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l'
const HOME_AND_CLEAR = '\x1b[H\x1b[2J'
const CONTINUE_MS = 20
const ESCAPE_MS = 50

export function openTerminal(listener: Listener, color: boolean): Terminal {
  const stdin = process.stdin
  const stdout = process.stdout
  let drawn: string[] = []
  let isActive = false
  // Sets only how long an Escape may be the start of a longer sequence. Input does not pass through it.
  const escapeTimer = createInterface({ input: new PassThrough(), escapeCodeTimeout: ESCAPE_MS })
  const enter = () => {
    if (isActive) return
    isActive = true
    drawn = []
    stdin.setRawMode(true)
    stdin.resume()
    stdout.write(ENTER + HOME_AND_CLEAR)
  }
  const leave = () => {
    if (!isActive) return
    isActive = false
    stdout.write(LEAVE)
    stdin.setRawMode(false)
    stdin.pause()
  }
  const size = (): Size => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 })
  const onKeypress = (text: string | undefined, key: RawKey) => {
    const name = keyName(text, key)
    if (isActive && name !== undefined) listener.key(name)
  }
  const onResize = () => {
    drawn = []
    if (isActive) listener.onResize(size())
  }
  const suspend = async () => {
    leave()
    process.off('SIGTSTP', onSuspend)
    // Stops the whole process group, as the terminal does. The kernel ignores it for an orphaned group, which no shell could continue.
    process.kill(0, 'SIGTSTP')
    await new Promise((resolve) => setTimeout(resolve, CONTINUE_MS))
    process.on('SIGTSTP', onSuspend)
    enter()
    listener.onResize(size())
  }
  const onSuspend = () => void suspend()
  // On the full screen no key sends them, so a program did. Otherwise a key sent them to the program outside, an editor for example.
  const onKeySignal = (signal: 'SIGINT' | 'SIGQUIT') => () => {
    if (isActive) listener.onSignal(signal)
  }
  const signals = {
    SIGINT: onKeySignal('SIGINT'),
    SIGQUIT: onKeySignal('SIGQUIT'),
    SIGTERM: () => listener.onSignal('SIGTERM'),
    SIGHUP: () => listener.onSignal('SIGHUP'),
    SIGTSTP: onSuspend,
  }
  for (const [signal, handler] of Object.entries(signals)) process.on(signal, handler)
  // For uncaught errors and `process.exit`.
  process.on('exit', leave)
  emitKeypressEvents(stdin, escapeTimer)
  stdin.on('keypress', onKeypress)
  stdin.on('end', signals.SIGHUP)
  stdout.on('resize', onResize)
  enter()
  return {
    charset: charsetOf(process.env, process.platform),
    size,
    draw(lines) {
      if (!isActive) return
      const now = lines.map((line) => paint(line, color))
      // Clear before the text: after a full-width row, tmux would clear its last character.
      const changed = now.flatMap((line, row) => (line === drawn[row] ? [] : [`\x1b[${row + 1};1H\x1b[K${line}`]))
      drawn = now
      if (changed.length > 0) stdout.write(changed.join(''))
    },
    invalidate() {
      drawn = []
      if (isActive) stdout.write(HOME_AND_CLEAR)
    },
    async runOutside(work) {
      leave()
      try {
        return await work()
      } finally {
        enter()
      }
    },
    suspend,
    close() {
      leave()
      stdin.off('keypress', onKeypress)
      stdin.off('end', signals.SIGHUP)
      escapeTimer.close()
      stdout.off('resize', onResize)
      process.off('exit', leave)
      for (const [signal, handler] of Object.entries(signals)) process.off(signal, handler)
    },
  }
}

/** Derives the character set from the locale. Without one, macOS counts as UTF-8 and other systems as ASCII; Windows is always UTF-8. */
export function charsetOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Charset {
  if (platform === 'win32') return 'utf-8'
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  if (!locale) return platform === 'darwin' ? 'utf-8' : 'ascii'
  return /utf-?8/i.test(locale) ? 'utf-8' : 'ascii'
}
