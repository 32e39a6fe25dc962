import type { Command } from 'commander'
import type { Question } from '../../index.js'
import { commandLines, describeReach, nameCommand } from '../../surface/index.js'
import type { Context } from '../context.js'
import { json, jsonOption } from '../output.js'
import { oneLine, printable } from '../printable.js'

interface Options {
  readonly json?: true
}

export function register(command: Command, { io, withWorkspace }: Context): void {
  command
    .description(
      "List what agents ask you to allow: writes and commands that an `ask` rule holds back, and paths to add to an intent's scope.",
    )
    .argument('[session]', "the session's id (default: all sessions)")
    .addOption(jsonOption())
    .action(async (session: string | undefined, options: Options) => {
      const found = await withWorkspace(async (workspace) => {
        const ids = session === undefined ? (await workspace.sessions()).map(({ id }) => id) : [session]
        const open = []
        for (const id of ids)
          for (const question of await (await workspace.review(id)).questions()) open.push({ session: id, question })
        return open
      })
      if (options.json)
        io.out(json({ questions: found.map(({ session: from, question }) => ({ session: from, ...question })) }))
      else if (found.length === 0) io.out('No agent has an open question.\n')
      else
        for (const each of found)
          io.out(
            `${oneLine(each.session)}  ${each.question.id}  ${oneLine(describeQuestion(each.question))}\n${scriptOf(each.question)}`,
          )
    })
}

function describeQuestion(question: Question): string {
  if (question.kind === 'access') return `may it write ${question.path}? (the rule ${question.rule} asks)`
  if (question.kind === 'command')
    return `may it run ${nameCommand(question.command)}${question.cwd === '' ? '' : ` in ${question.cwd}`}? (${question.rules.join(', ')} asks: ${question.why})`
  const reach = question.reach === undefined ? '' : ` ${describeReach(question.reach)}`
  return `may ${question.intentId} own ${question.globs.join(', ')} too? It says: ${question.why}${reach}`
}

/** The lines of a script, indented: a person decides on all of them. Empty for a command of one line. */
function scriptOf(question: Question): string {
  const lines = question.kind === 'command' ? commandLines(question.command) : []
  return lines.length < 2 ? '' : lines.map((line) => `    ${printable(line)}\n`).join('')
}
