import { Argument, type Command } from 'commander'
import type { Context } from '../context.js'

const CLIENTS = ['claude', 'cline', 'codex', 'gemini', 'opencode'] as const
type Client = (typeof CLIENTS)[number]

interface Options {
  readonly session?: string
}

/** Bytes of one event: a tool's content is in it. */
const MOST = 64 * 1024 * 1024
/** Clients let a tool run once their hook takes too long, the soonest after 30 seconds. */
const DEADLINE_MS = 20_000
/** Holds the tool at all clients but Cline, and the reason on stderr is told to the model. */
const HOLDS = 2

export function register(command: Command, { io, exit }: Context): void {
  command
    .description(
      "Answer one event of a client's hooks, read from stdin. `escrow init --claude`, and so on, enters it there.",
    )
    .addArgument(new Argument('<client>', 'whose event it is').choices(CLIENTS))
    .option('--session <id>', "the session to judge by; the client's own unless told")
    .action(async (client: Client, { session }: Options) => {
      const more = { cwd: io.cwd, ...(session !== undefined && { session }) }
      await inTime(client, async () => {
        io.out(`${JSON.stringify(await ANSWERS[client](more))}\n`)
      }).catch((error: unknown) => {
        if (client === 'cline') return io.out(`${held(wordsOf(error))}\n`)
        io.err(`escrow: ${wordsOf(error)}\n`)
        exit(HOLDS)
      })
    })
}

type More = { readonly cwd: string; readonly session?: string }

/** Each client's answer, in its own words alone. An adapter is loaded for its client only. */
const ANSWERS: Readonly<Record<Client, (more: More) => Promise<object>>> = {
  claude: async (more) => (await import('../../agents/claude/index.js')).answerClaude(await input(), more),
  codex: async (more) => (await import('../../agents/codex/index.js')).answerCodex(await input(), more),
  gemini: async (more) => (await import('../../agents/gemini/index.js')).answerGemini(await input(), more),
  opencode: async (more) => (await import('../../agents/opencode/index.js')).answerOpencode(await input(), more),
  cline: async (more) => {
    const { answerCline, clineFailure } = await import('../../agents/cline/index.js')
    return input().then((text) => answerCline(text, more), clineFailure)
  },
}

/** What takes too long is refused here, before the client lets it through. */
async function inTime(client: Client, work: () => Promise<void>): Promise<void> {
  const late = setTimeout(() => {
    if (client === 'cline') process.stdout.write(`${held('the judgement took too long.')}\n`)
    else process.stderr.write('escrow: the judgement took too long, so it is refused.\n')
    process.exit(client === 'cline' ? 0 : HOLDS)
  }, DEADLINE_MS)
  try {
    await work()
  } finally {
    clearTimeout(late)
  }
}

/** At Cline's no exit code holds a tool. */
function held(why: string): string {
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
  return `${error instanceof Error ? error.message : String(error)}${hint}`
}
