import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EscrowError } from '../core/api-error.js'
import { errorText } from '../core/error-text.js'
import { whileOthersType } from './child.js'
import { readWhole } from './read.js'
import { isInTree, ownEnv, refuseTree } from './search-path.js'
import { createDurable, makeTempDir, removeTree } from './write.js'

/**
 * Lets a person edit a text in their editor (`VISUAL`, else `EDITOR`, else vi) on this terminal. The editor starts in
 * an empty directory, because many editors load settings from there, and those of a workspace are not the person's.
 * @param name the file's name in the editor; its extension gives the language
 * @returns the text after the edit
 * @throws EscrowError `nothing_selected` if the editor fails or cannot be started, and nothing was edited;
 * `unsupported` for an editor in a workspace
 */
export async function editText(text: string, name: string): Promise<string> {
  const { VISUAL, EDITOR } = process.env
  const editor = VISUAL || EDITOR || 'vi'
  refuseTree(VISUAL ? 'VISUAL' : 'EDITOR', editor)
  const place = [tmpdir(), '/tmp'].find((each) => !isInTree(each)) ?? tmpdir()
  const dir = makeTempDir(join(place, 'escrow-edit-'))
  const file = join(dir, name)
  try {
    createDurable(file, text)
    // In a shell, as git does: the variable may have options.
    const child = spawn('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { cwd: dir, env: ownEnv(), stdio: 'inherit' })
    const [code, signal]: unknown[] = await whileOthersType(() => once(child, 'close'))
    if (code !== 0) throw editorFailed(editor, `ended with ${String(code ?? signal)}`)
    return readWhole(file).toString()
  } catch (error) {
    if (error instanceof EscrowError) throw error
    throw editorFailed(editor, errorText(error))
  } finally {
    removeTree(dir)
  }
}

function editorFailed(editor: string, why: string): EscrowError {
  return new EscrowError('nothing_selected', `The editor '${editor}' ${why}. Nothing was changed.`, {
    hint: "Set EDITOR to an editor that waits until you close the file, such as 'code --wait'.",
  })
}
