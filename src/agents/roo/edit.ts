import { z } from 'zod'
import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { exists, readText, writeText } from './files.js'
import { replaceText } from './replace-text.js'
import { writeOutcome } from './result.js'
import { defineTool, flagArgument, lineArgument, type Outcome, pathArgument, type Work } from './tool.js'

const strings = { file_path: pathArgument, old_string: z.string().min(1), new_string: z.string() }
const editSchema = z.object({ ...strings, replace_all: flagArgument })
const editFileSchema = z.object({ ...strings, old_string: z.string(), expected_replacements: lineArgument })

/** `edit`: replaces a text that must occur once, unless `replace_all` is set. */
export const edit = defineTool('edit', editSchema, prepareEdit)

/** The older name of `edit`. */
export const searchAndReplace = defineTool('search_and_replace', editSchema, prepareEdit)

/** `search_replace`: replaces a text that must occur exactly once. */
export const searchReplace = defineTool('search_replace', z.object(strings), (args) => replaceWork(args, 1))

/** `edit_file`: replaces a text that must occur the expected number of times; an empty `old_string` creates the file. */
export const editFile = defineTool('edit_file', editFileSchema, (args) => {
  if (args.old_string === '') return createWork(args.file_path, args.new_string)
  return replaceWork(args, args.expected_replacements ?? 1)
})

function prepareEdit(args: z.output<typeof editSchema>): Work {
  return replaceWork(args, args.replace_all === true ? 'all' : 1)
}

interface Replacement {
  readonly file_path: string
  readonly old_string: string
  readonly new_string: string
}

function replaceWork(args: Replacement, expected: number | 'all'): Work {
  return (session) => replaceInFile(session, args, expected)
}

async function replaceInFile(session: Session, args: Replacement, expected: number | 'all'): Promise<Outcome> {
  const path = args.file_path
  if (args.old_string === args.new_string) {
    throw new ToolFailure('old_string and new_string are the same, so there is nothing to change.')
  }
  const { content, count } = replaceText(await readText(session, path), args.old_string, args.new_string)
  if (count === 0) {
    throw new ToolFailure(
      `old_string does not occur in ${path}. It must match exactly, including white space. Read the file and copy the text.`,
    )
  }
  if (expected !== 'all' && count !== expected) {
    throw new ToolFailure(
      `old_string occurs ${count} times in ${path}, expected ${expected}. Add lines around it, or ask to replace all of them.`,
    )
  }
  await writeText(session, path, content)
  return writeOutcome(path, 'modified')
}

function createWork(path: string, content: string): Work {
  return async (session) => {
    if (await exists(session, path)) {
      throw new ToolFailure(`${path} exists. An empty old_string is for new files; give the text to replace.`)
    }
    await writeText(session, path, content)
    return writeOutcome(path, 'created')
  }
}
