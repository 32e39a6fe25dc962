import { dirname } from 'node:path/posix'
import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'
import { codeOf } from '../../surface/index.js'

/** Reads a file's text. Throws {@link ToolFailure} for a missing file or one that is not UTF-8 text. */
export async function readText(session: Session, path: string): Promise<string> {
  const content = await readBytes(session, path)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    throw new ToolFailure(`${path} is not a UTF-8 text file.`)
  }
}

async function readBytes(session: Session, path: string): Promise<Uint8Array> {
  try {
    return await session.fs.promises.readFile(path)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') {
      throw new ToolFailure(`File not found: ${path}. Use list_files to see the files.`)
    }
    if (codeOf(error) === 'EISDIR') throw new ToolFailure(`${path} is a directory. Use list_files to see its files.`)
    throw error
  }
}

export async function exists(session: Session, path: string): Promise<boolean> {
  try {
    await session.fs.promises.lstat(path)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false
    throw error
  }
}

/** Stages a file's content with its parent directories. */
export async function writeText(session: Session, path: string, content: string): Promise<void> {
  await makeParents(session, path)
  await session.fs.promises.writeFile(path, content)
}

export async function makeParents(session: Session, path: string): Promise<void> {
  const parent = dirname(path)
  if (!(await exists(session, parent))) await session.fs.promises.mkdir(parent, { recursive: true })
}
