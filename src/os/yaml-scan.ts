import { CST, Lexer } from 'yaml'
import { problemAt, type YamlProblem } from './yaml-problem.js'

/** Far more than our files need, and less than any nesting bomb has. */
const MAX_DEPTH = 32

const REFUSED: Record<string, string> = {
  anchor: 'anchors (&name) are not allowed here; write the value out',
  alias: 'aliases (*name) are not allowed here; write the value out',
  'directive-line': '% directives are not allowed here; remove the line',
}

const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/

/**
 * Checks a YAML text before it is parsed: the parser recurses, and some nesting bombs abort the process. The lexer does
 * not recurse, and reads quotes and comments exactly as the parser does.
 */
export function scanYaml(text: string): YamlProblem | undefined {
  const control = CONTROL.exec(text)
  if (control) return problemAt(text, control.index, 'a control character is not allowed here; remove it')
  const blocks = new BlockDepth()
  let offset = 0
  let flow = 0
  let scalarNext = false
  for (const lexeme of new Lexer().lex(text)) {
    const type: string | null = scalarNext ? 'content' : CST.tokenType(lexeme)
    scalarNext = type === 'scalar'
    // If the indentation ends a bracket, the lexer leaves the bracket open.
    if (type === 'flow-error-end') flow = 0
    if (scalarNext || type === 'doc-mode' || type === 'flow-error-end') continue
    const refusal = type === null ? undefined : REFUSED[type]
    if (refusal) return problemAt(text, offset, refusal)
    const levels = blocks.see(type, lexeme, flow > 0)
    if (type === 'flow-map-start' || type === 'flow-seq-start') flow++
    else if (type === 'flow-map-end' || type === 'flow-seq-end') flow = Math.max(0, flow - 1)
    // The innermost entry is a value, or the first bracket itself, and adds no level.
    if (flow + levels - 1 > MAX_DEPTH) {
      return problemAt(text, offset, `nested deeper than ${MAX_DEPTH} levels; flatten it`)
    }
    offset += lexeme.length
  }
  return undefined
}

const INDICATORS = new Set<string | null>(['seq-item-ind', 'explicit-key-ind', 'map-value-ind'])

/**
 * Counts the depth of block collections. Each level begins in its own column, to the right of its parent's, either
 * first on its line or directly after an indicator (`- - - x`). Only a list in its key's own column is not counted.
 */
class BlockDepth {
  private columns: number[] = []
  private column = 0
  private opens = true

  see(type: string | null, lexeme: string, inFlow: boolean): number {
    if (!inFlow && type !== 'space' && type !== 'comment' && type !== 'newline') {
      if (this.opens) this.enter()
      this.opens = INDICATORS.has(type)
    }
    const lineBreak = lexeme.lastIndexOf('\n')
    this.column = lineBreak < 0 ? this.column + lexeme.length : lexeme.length - lineBreak - 1
    if (lineBreak >= 0 && this.column === 0) this.opens = true
    return this.columns.length
  }

  private enter(): void {
    while ((this.columns.at(-1) ?? -1) >= this.column) this.columns.pop()
    this.columns.push(this.column)
  }
}
