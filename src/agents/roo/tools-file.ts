import type fs from 'node:fs'
import type { RooCustomTool } from './custom-tools.js'

/** Roo loads tools of a workspace from here (its experiment `customTools`). */
const DIRECTORY = '.roo/tools'
const FILE = `${DIRECTORY}/escrowfs.js`
const HEADER = '// The tools of escrowfs for Roo Code.'

declare global {
  /** The registry in which the file finds the tools: Roo loads it in the same process. */
  var escrowfsRooTools: Readonly<Record<string, RooCustomTool>> | undefined
}

interface Workspace {
  /** The host's `fs`: outside of tool calls it writes Roo's own files to the disk. */
  readonly fs: typeof fs
  readonly root: string
}

/**
 * Offers tools to Roo by a file in `.roo/tools`. It writes the file if it is missing or an older version of ours.
 * @returns a function that withdraws the tools; the file stays, and exports nothing by itself
 */
export function offerTools(tools: readonly RooCustomTool[], { fs, root }: Workspace): () => void {
  globalThis.escrowfsRooTools = Object.fromEntries(tools.map((tool) => [tool.name, tool]))
  const path = `${root}/${FILE}`
  const text = renderFile(tools)
  const before = fs.existsSync(path) ? fs.readFileSync(path, 'utf8') : undefined
  if (before === undefined || (before.startsWith(HEADER) && before !== text)) {
    fs.mkdirSync(`${root}/${DIRECTORY}`, { recursive: true })
    fs.writeFileSync(path, text)
  }
  return () => {
    globalThis.escrowfsRooTools = undefined
  }
}

function renderFile(tools: readonly RooCustomTool[]): string {
  const lines = tools.map(({ name }) => `export const ${name} = tools.${name}\n`)
  return `${HEADER} Written by enterRoo; without it they are not there.\nconst tools = globalThis.escrowfsRooTools ?? {}\n${lines.join('')}`
}
