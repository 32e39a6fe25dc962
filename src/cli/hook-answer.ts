import { defined } from '../core/defined.js'
import { HOME_HOSTS, type HomeHost } from '../hosts/index.js'
import { errorText } from '../surface/index.js'
import { EXIT, type Io } from './context.js'

/** Bytes of one event: a tool's content is in it. */
const MOST = 64 * 1024 * 1024
/** Clients let a tool run once their hook takes too long, the soonest after 30 seconds. */
const DEADLINE_MS = 20_000
/** Holds the tool at all clients but Cline, and the reason on stderr is told to the model. */
const HOLDS = 2

/** Whose event it is, by the command line of a hook as `escrow init` enters it; undefined for any other line. */
export function clientOf([command, name, ...more]: readonly string[]): HomeHost | undefined {
  return command === 'hook' && more.length === 0 ? HOME_HOSTS.find((client) => client === name) : undefined
}

/**
 * Answers one event of a client's hooks, read from stdin.
 * @param session to judge by; the client's own unless told
 * @returns the exit code; never rejects
 */
export async function answerHook(
  client: HomeHost,
  io: Pick<Io, 'out' | 'err' | 'cwd'>,
  session?: string,
): Promise<number> {
  const more = { cwd: io.cwd, ...defined({ session }) }
  try {
    await inTime(client, async () => io.out(`${JSON.stringify(await ANSWERS[client](more))}\n`))
    return EXIT.ok
  } catch (error) {
    if (client !== 'cline') {
      io.err(`escrow: ${wordsOf(error)}\n`)
      return HOLDS
    }
    io.out(`${clineRefusal(wordsOf(error))}\n`)
    return EXIT.ok
  }
}

type More = { readonly cwd: string; readonly session?: string }

/** Each client's answer, in its own words alone. An adapter is loaded for its client only. */
const ANSWERS: Readonly<Record<HomeHost, (more: More) => Promise<object>>> = {
  async claude(more) {
    const { answerClaude } = await import('../agents/claude/index.js')
    return answerClaude(await input(), more)
  },
  async codex(more) {
    const { answerCodex } = await import('../agents/codex/index.js')
    return answerCodex(await input(), more)
  },
  async gemini(more) {
    const { answerGemini } = await import('../agents/gemini/index.js')
    return answerGemini(await input(), more)
  },
  async opencode(more) {
    const { answerOpencode } = await import('../agents/opencode/index.js')
    return answerOpencode(await input(), more)
  },
  async cline(more) {
    const { answerCline, clineFailure } = await import('../agents/cline/index.js')
    return input().then((text) => answerCline(text, more), clineFailure)
  },
}

/** What takes too long is refused here, before the client lets it through. */
async function inTime(client: HomeHost, work: () => Promise<void>): Promise<void> {
  const late = setTimeout(() => {
    if (client === 'cline') process.stdout.write(`${clineRefusal('the check took too long.')}\n`)
    else process.stderr.write('escrow: the check took too long, so the call is refused.\n')
    process.exit(client === 'cline' ? 0 : HOLDS)
  }, DEADLINE_MS)
  try {
    await work()
  } finally {
    clearTimeout(late)
  }
}

/** At Cline's no exit code holds a tool. */
function clineRefusal(why: string): string {
  const errorMessage = `escrow: ${why}`
  return JSON.stringify({ cancel: true, errorMessage, contextModification: errorMessage, context: errorMessage })
}

async function input(): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of process.stdin) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > MOST) throw new Error(`The event has more than ${MOST} bytes.`)
    chunks.push(bytes)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function wordsOf(error: unknown): string {
  const hint = error instanceof Error && 'hint' in error && typeof error.hint === 'string' ? ` ${error.hint}` : ''
  return `${errorText(error)}${hint}`
}
