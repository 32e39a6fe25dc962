import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Command, CommanderError } from 'commander'
import picocolors from 'picocolors'
import { rootOf, type Workspace } from '../index.js'
import { COMMANDS } from './commands.js'
import { type Context, EXIT, type Io, type Library, NoWorkspace, UsageError } from './context.js'
import { reportError } from './failure.js'
import { buildFullProgram, createProgram } from './program.js'
import { runThenClose } from './run-then-close.js'

const EPILOGUE = `
Exit codes:
  0  done
  1  refused or failed; the message says why, and what to do next
  2  wrong usage
  3  'escrow verify' found a damaged ledger
  4  not a workspace: no .orchestration in the directory or above it
`

/**
 * Runs one command line.
 * @param argv the arguments alone, without node and script
 * @returns the exit code; never rejects
 */
export async function run(argv: readonly string[], io: Io, library: () => Promise<Library>): Promise<number> {
  const colors = picocolors.createColors(io.color)
  let code: number = EXIT.ok
  const program = createTerminalProgram(io)
  let session: string | undefined
  program.hook('preAction', (_, command) => {
    session = requiredSession(command)
  })
  const context: Context = {
    io,
    colors,
    argv,
    library,
    page: async (text) => (io.page && program.opts().pager !== false ? io.page(text) : io.out(text)),
    directory: (isNew) => directoryOf(program, io, isNew),
    root: () => workspaceAt(directoryOf(program, io)),
    withWorkspace: (work) => withWorkspace(directoryOf(program, io), library, work),
    asAgent: async (work) => {
      ;(await library()).admitAgent()
      return withWorkspace(directoryOf(program, io), library, work)
    },
    asReviewer: async (work) => {
      const root = workspaceAt(directoryOf(program, io))
      ;(await library()).admitReviewer(root, { terminal: io.terminal })
      return withWorkspace(root, library, work)
    },
    buildFullProgram: () => buildFullProgram(context),
    exit: (exitCode) => {
      code = exitCode
    },
  }
  try {
    await program.parseAsync(await addCommands(program, argv, context), { from: 'user' })
    return code
  } catch (error) {
    // Commander has printed its message. Every exit code but 0, of help and version, means wrong usage.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage
    return reportError(error, io, colors, session)
  }
}

/** The session that a command was given, if it requires one. */
function requiredSession({ registeredArguments, processedArgs }: Command): string | undefined {
  const at = registeredArguments.findIndex((each) => each.required && each.name() === 'session')
  const argument: unknown = processedArgs[at]
  return typeof argument === 'string' ? argument : undefined
}

function createTerminalProgram(io: Io): Command {
  return createProgram()
    .version(io.version)
    .addHelpText('after', EPILOGUE)
    .showHelpAfterError("'--help' lists the arguments and options.")
    .configureOutput({
      writeOut: (text) => io.out(text),
      writeErr: (text) => io.err(text),
      outputError: (text, write) => write(text.replace(/\(Did you mean ([^',?]+)\?\)/, "(Did you mean '$1'?)")),
    })
    .exitOverride()
}

/** Adds all commands, and loads those whose name is on the command line. Resolves with the words to parse. */
async function addCommands(program: Command, argv: readonly string[], context: Context): Promise<string[]> {
  let args = [...argv]
  for (const { name, group, summary, example, load } of COMMANDS) {
    const command = program
      .commandsGroup(`${group}:`)
      .command(name)
      .description(summary)
      .addHelpText('after', `\nExample:\n  ${example}`)
    if (!argv.includes(name)) continue
    const { register, separateProgram } = await load()
    register(command, context)
    if (separateProgram !== undefined && findCommandName(argv) === name) args = separateProgram(argv, command)
  }
  // Added last, so that `help` is in the last group.
  program.helpCommand(true)
  await refuseHelpOnUnknown(program, argv)
  return args
}

/** Commander does not report an unknown command after `help`, and prints the complete help. */
async function refuseHelpOnUnknown(program: Command, argv: readonly string[]): Promise<void> {
  if (findCommandName(argv) !== 'help') return
  const word = argv.slice(argv.indexOf('help') + 1).find((each) => !each.startsWith('-'))
  const names = [...COMMANDS.map(({ name }) => name), 'help']
  if (word === undefined || names.includes(word)) return
  const { unknownCommand } = await import('./unknown-command.js')
  program.error(unknownCommand(word, names))
}

/** Finds the command name: the first word that is neither a global option nor the directory of `-C`. */
function findCommandName(argv: readonly string[]): string | undefined {
  return argv.find((word, at) => !word.startsWith('-') && argv[at - 1] !== '-C')
}

function directoryOf(program: Command, io: Io, isNew = false): string {
  const option: unknown = program.opts().C
  if (typeof option !== 'string') return resolve(io.cwd)
  const directory = resolve(io.cwd, option)
  const problem = isNew && !existsSync(directory) ? undefined : directoryProblem(directory)
  if (problem !== undefined) throw new UsageError(problem(option))
  return directory
}

/** Explains why a path is not a directory; undefined for a directory. */
function directoryProblem(path: string): ((path: string) => string) | undefined {
  try {
    return statSync(path).isDirectory() ? undefined : notDirectory
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    if (code === 'ENOTDIR') return notDirectory
    return code === 'ENOENT' ? (name) => `There is no directory ${name}.` : undefined
  }
}

const notDirectory = (name: string) => `${name} is not a directory.`

async function withWorkspace<T>(
  directory: string,
  library: () => Promise<Library>,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T> {
  const workspace = await (await library()).openWorkspace(workspaceAt(directory))
  return runThenClose(
    () => work(workspace),
    () => workspace.close(),
  )
}

function workspaceAt(directory: string): string {
  const root = rootOf(directory)
  if (root === undefined) throw new NoWorkspace(directory)
  return root
}
