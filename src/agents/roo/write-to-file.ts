import { z } from 'zod'
import { exists, writeText } from './files.js'
import { writeOutcome } from './result.js'
import { defineTool, pathArgument, type Work } from './tool.js'

const schema = z.object({ path: pathArgument, content: z.string() })

/** `write_to_file`: stages a file's whole content, byte for byte. */
export const writeToFile = defineTool('write_to_file', schema, prepare)

/** The same tool by the name that some models use. */
export const writeFile = defineTool('write_file', schema, prepare)

function prepare({ path, content }: z.output<typeof schema>): Work {
  return async (session) => {
    const operation = (await exists(session, path)) ? 'modified' : 'created'
    await writeText(session, path, content)
    return writeOutcome(path, operation)
  }
}
