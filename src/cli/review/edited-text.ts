/** A content as the editor gets it. Undefined if there is none, or it is not UTF-8. */
export function textOf(content: Uint8Array | undefined): string | undefined {
  try {
    return content && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return undefined
  }
}

/** A file name for the editor: the extension only, because the agent chose the rest of the name. */
export function editorFileName(path: string): string {
  return `staged${/\.[A-Za-z0-9]{1,10}$/.exec(path)?.[0] ?? ''}`
}
