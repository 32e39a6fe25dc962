import { defined } from '../core/defined.js'
import { HOME_HOSTS, type HomeHost } from '../hosts/index.js'
import { errorText } from '../surface/index.js'
import { EXIT, type Io } from './context.js'

/** The largest event. It includes the content that a tool writes. */
const MAX_EVENT_BYTES = 64 * 1024 * 1024
/** Clients run the tool if their hook takes too long. The shortest limit is 30 seconds. */
const DEADLINE_MS = 20_000
/** All clients but Cline block the tool on this exit code, and pass stderr to the model. */
const BLOCKING_EXIT = 2

/** The client of a hook's command line, as `escrow init` installs it. Undefined for any other command line. */
export function hookClient([command, name, ...more]: readonly string[]): HomeHost | undefined {
  return command === 'hook' && more.length === 0 ? HOME_HOSTS.find((client) => client === name) : undefined
}

/**
 * Answers one event of a client's hooks, read from stdin.
 * @param session the session to judge by; by default the client's own
 * @returns the exit code; never rejects
 */
export async function answerHook(
  client: HomeHost,
  io: Pick<Io, 'out' | 'err' | 'cwd'>,
  session?: string,
): Promise<number> {
  try {
    const options = { cwd: io.cwd, ...defined({ session }) }
    await withDeadline(client, async () => io.out(`${JSON.stringify(await ANSWERS[client](options))}\n`))
    return EXIT.ok
  } catch (error) {
    if (client !== 'cline') {
      io.err(`escrow: ${describeError(error)}\n`)
      return BLOCKING_EXIT
    }
    io.out(`${clineRefusal(describeError(error))}\n`)
    return EXIT.ok
  }
}

type HookOptions = { readonly cwd: string; readonly session?: string }

/** Answers an event in the client's format. Loads only the adapter of that client. */
const ANSWERS: Readonly<Record<HomeHost, (options: HookOptions) => Promise<object>>> = {
  async claude(options) {
    const { answerClaude } = await import('../agents/claude/index.js')
    return answerClaude(await readInput(), options)
  },
  async codex(options) {
    const { answerCodex } = await import('../agents/codex/index.js')
    return answerCodex(await readInput(), options)
  },
  async gemini(options) {
    const { answerGemini } = await import('../agents/gemini/index.js')
    return answerGemini(await readInput(), options)
  },
  async opencode(options) {
    const { answerOpencode } = await import('../agents/opencode/index.js')
    return answerOpencode(await readInput(), options)
  },
  async cline(options) {
    const { answerCline, clineFailure } = await import('../agents/cline/index.js')
    return readInput().then((text) => answerCline(text, options), clineFailure)
  },
}

/** Refuses a call that takes too long, before the client would allow it. */
async function withDeadline(client: HomeHost, work: () => Promise<void>): Promise<void> {
  const timer = setTimeout(() => {
    if (client === 'cline') process.stdout.write(`${clineRefusal('the check took too long.')}\n`)
    else process.stderr.write('escrow: the check took too long, so the call is refused.\n')
    process.exit(client === 'cline' ? 0 : BLOCKING_EXIT)
  }, DEADLINE_MS)
  try {
    await work()
  } finally {
    clearTimeout(timer)
  }
}

/** Cline ignores exit codes, so the refusal is in the answer. */
function clineRefusal(why: string): string {
  const errorMessage = `escrow: ${why}`
  return JSON.stringify({ cancel: true, errorMessage, contextModification: errorMessage, context: errorMessage })
}

async function readInput(): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > MAX_EVENT_BYTES) throw new Error(`The event has more than ${MAX_EVENT_BYTES} bytes.`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function describeError(error: unknown): string {
  const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? ` ${error.hint}` : ''
  return `${errorText(error)}${hint}`
}
