import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EscrowError } from '../core/api-error.js'
import { newId } from '../core/ids.js'
import { readWhole } from './read.js'
import { createDurable, removeName } from './write.js'

/**
 * Lets a person edit a text in the editor they have chosen (`VISUAL`, else `EDITOR`, else vi), on this terminal.
 * @param name what the file they see is called; its ending tells the editor the language.
 * @returns the text as they left it.
 * @throws EscrowError `nothing_selected` where the editor fails or cannot be started: nothing was edited.
 */
export async function editText(text: string, name: string): Promise<string> {
  const editor = process.env.VISUAL || process.env.EDITOR || 'vi'
  const file = join(tmpdir(), `escrow-${newId()}-${name}`)
  createDurable(file, text)
  try {
    // By a shell, as git does: the variable may hold options.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' })
    const [code]: unknown[] = await once(child, 'close')
    if (code !== 0) throw failed(editor, `ended with ${String(code)}`)
    return readWhole(file).toString()
  } catch (error) {
    if (error instanceof EscrowError) throw error
    throw failed(editor, error instanceof Error ? error.message : String(error))
  } finally {
    removeName(file)
  }
}

function failed(editor: string, why: string): EscrowError {
  return new EscrowError('nothing_selected', `The editor '${editor}' ${why}. Nothing was changed.`, {
    hint: 'Set EDITOR to an editor that waits until you are done.',
  })
}
