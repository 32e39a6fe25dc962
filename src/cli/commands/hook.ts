import { Argument, type Command } from 'commander'
import type { Context } from '../context.js'

type Client = 'claude' | 'cline'

interface Options {
  readonly session?: string
}

/** Bytes of one event: a tool's content is in it. */
const MOST = 64 * 1024 * 1024
/** Clients let a tool run once their hook takes too long, the soonest after 30 seconds. */
const DEADLINE_MS = 20_000
/** Of Claude Code's hooks: holds the tool, and the reason on stderr is told to the model. */
const HOLDS = 2

export function register(command: Command, { io, exit }: Context): void {
  command
    .description(
      "Answer one event of a client's hooks, read from stdin. `escrow init --claude` or `--cline` enters it there.",
    )
    .addArgument(new Argument('<client>', 'whose event it is').choices(['claude', 'cline']))
    .option('--session <id>', "the session to judge by; the client's own unless told")
    .action(async (client: Client, { session }: Options) => {
      const more = { cwd: io.cwd, ...(session !== undefined && { session }) }
      await inTime(client, async () => {
        const { text, end } = client === 'claude' ? await claude(more) : await cline(more)
        io.out(text)
        exit(end)
      }).catch((error: unknown) => {
        if (client === 'cline') return io.out(`${held(wordsOf(error))}\n`)
        io.err(`escrow: ${wordsOf(error)}\n`)
        exit(HOLDS)
      })
    })
}

type More = { readonly cwd: string; readonly session?: string }
type Said = { readonly text: string; readonly end: number }

async function claude(more: More): Promise<Said> {
  const { answerClaude } = await import('../../agents/claude/index.js')
  return { text: `${JSON.stringify(await answerClaude(await input(), more))}\n`, end: 0 }
}

async function cline(more: More): Promise<Said> {
  const { answerCline, clineFailure } = await import('../../agents/cline/index.js')
  const answer = await input().then((text) => answerCline(text, more), clineFailure)
  return { text: `${JSON.stringify(answer)}\n`, end: 0 }
}

/** What takes too long is refused here, before the client lets it through. */
async function inTime(client: Client, work: () => Promise<void>): Promise<void> {
  const late = setTimeout(() => {
    if (client === 'claude') process.stderr.write('escrow: the judgement took too long, so it is refused.\n')
    else process.stdout.write(`${held('the judgement took too long.')}\n`)
    process.exit(client === 'claude' ? HOLDS : 0)
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
