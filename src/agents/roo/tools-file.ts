import type fs from 'node:fs'
import type { RooCustomTool } from './custom-tools.js'

/** Where Roo looks for tools of a workspace (its experiment `customTools`). */
const DIRECTORY = '.roo/tools'
const FILE = `${DIRECTORY}/escrowfs.js`
const MARK = '// The tools of escrowfs for Roo Code.'

declare global {
  /** Where the file finds the tools: Roo loads it in the process they live in. */
  var escrowfsRooTools: Readonly<Record<string, RooCustomTool>> | undefined
}

interface Place {
  /** The host's `fs`: outside of a tool call it writes Roo's own files to the disk. */
  readonly fs: typeof fs
  readonly root: string
}

/**
 * Offers tools to Roo by a file in `.roo/tools`, which is written where it is missing or an older one of ours.
 * @returns takes the tools back; the file stays, and offers nothing by itself
 */
export function offerTools(tools: readonly RooCustomTool[], { fs, root }: Place): () => void {
  globalThis.escrowfsRooTools = Object.fromEntries(tools.map((tool) => [tool.name, tool]))
  const path = `${root}/${FILE}`
  const text = textOf(tools)
  const before = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined
  if (before === undefined || (before.startsWith(MARK) && before !== text)) {
    fs.mkdirSync(`${root}/${DIRECTORY}`, { recursive: true })
    fs.writeFileSync(path, text)
  }
  return () => {
    globalThis.escrowfsRooTools = undefined
  }
}

function textOf(tools: readonly RooCustomTool[]): string {
  const lines = tools.map(({ name }) => `export const ${name} = tools.${name}\n`)
  return `${MARK} Written by enterRoo; without it they are not there.\nconst tools = globalThis.escrowfsRooTools ?? {}\n${lines.join('')}`
}
