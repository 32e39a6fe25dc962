import { createInterface, emitKeypressEvents } from 'node:readline'
import { PassThrough } from 'node:stream'
import { nameOf, type RawKey } from './keys.js'
import { paint } from './paint.js'
import type { Size } from './state.js'
import type { Charset, Line } from './text.js'

/** A terminal taken over for a full screen, and given back as it was however that ends. */
export interface Terminal {
  readonly charset: Charset
  size(): Size
  /** Sends what differs from what is there. */
  draw(lines: readonly Line[]): void
  /** Draws all of it the next time. */
  forget(): void
  /** Gives the terminal to somebody else while they work. */
  lend<T>(work: () => Promise<T>): Promise<T>
  /** Back to the shell that started this; returns once it is in the foreground again. */
  suspend(): Promise<void>
  close(): void
}

export interface Listener {
  key(name: string): void
  onResize(size: Size): void
  /** This process is told to end. */
  onSignal(signal: 'SIGTERM' | 'SIGHUP'): void
}

/** Another screen, no cursor, no wrapping, pastes marked; and all of it back. */
const ENTER = '\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h'
const LEAVE = '\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l'
const HOME_AND_CLEAR = '\x1b[H\x1b[2J'
const CONTINUED_MS = 20
const ESCAPE_MS = 50

export function openTerminal(listener: Listener, color: boolean): Terminal {
  const stdin = process.stdin
  const stdout = process.stdout
  let drawn: string[] = []
  let isIn = false
  // It only says how long an Escape may be the beginning of something longer; what is typed does not go through it.
  const patience = createInterface({ input: new PassThrough(), escapeCodeTimeout: ESCAPE_MS })
  const enter = () => {
    if (isIn) return
    isIn = true
    drawn = []
    stdin.setRawMode(true)
    stdin.resume()
    stdout.write(ENTER + HOME_AND_CLEAR)
  }
  const leave = () => {
    if (!isIn) return
    isIn = false
    stdout.write(LEAVE)
    stdin.setRawMode(false)
    stdin.pause()
  }
  const size = (): Size => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 })
  const onKeypress = (text: string | undefined, key: RawKey) => {
    const name = nameOf(text, key)
    if (isIn && name !== undefined) listener.key(name)
  }
  const onResize = () => {
    drawn = []
    if (isIn) listener.onResize(size())
  }
  const suspend = async () => {
    leave()
    process.off('SIGTSTP', onSuspend)
    // All of the job, as the terminal would. Where no shell could continue it the system takes no notice.
    process.kill(0, 'SIGTSTP')
    await new Promise((resolve) => setTimeout(resolve, CONTINUED_MS))
    process.on('SIGTSTP', onSuspend)
    enter()
    listener.onResize(size())
  }
  const onSuspend = () => void suspend()
  const signals = {
    SIGTERM: () => listener.onSignal('SIGTERM'),
    SIGHUP: () => listener.onSignal('SIGHUP'),
    SIGTSTP: onSuspend,
  }
  for (const [signal, heard] of Object.entries(signals)) process.on(signal, heard)
  // The last way out: an error that nobody caught, `process.exit`.
  process.on('exit', leave)
  emitKeypressEvents(stdin, patience)
  stdin.on('keypress', onKeypress)
  stdin.on('end', signals.SIGHUP)
  stdout.on('resize', onResize)
  enter()
  return {
    charset: charsetOf(process.env, process.platform),
    size,
    draw(lines) {
      if (!isIn) return
      const now = lines.map((line) => paint(line, color))
      // Cleared first: after a row of full width, clearing to the end of the line takes its last character in tmux.
      const changed = now.flatMap((line, row) => (line === drawn[row] ? [] : [`\x1b[${row + 1};1H\x1b[K${line}`]))
      drawn = now
      if (changed.length > 0) stdout.write(changed.join(''))
    },
    forget() {
      drawn = []
      if (isIn) stdout.write(HOME_AND_CLEAR)
    },
    async lend(work) {
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
      patience.close()
      stdout.off('resize', onResize)
      process.off('exit', leave)
      for (const [signal, heard] of Object.entries(signals)) process.off(signal, heard)
    },
  }
}

/** What the locale says a terminal shows. Where there is none to ask it is taken for a modern one. */
export function charsetOf(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): Charset {
  if (platform === 'win32') return 'utf-8'
  const locale = env.LC_ALL || env.LC_CTYPE || env.LANG
  if (!locale) return platform === 'darwin' ? 'utf-8' : 'ascii'
  return /utf-?8/i.test(locale) ? 'utf-8' : 'ascii'
}
