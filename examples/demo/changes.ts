import colors from 'picocolors'
import type { TraceRecord } from '../../src/index.js'

interface Change {
  readonly path: string
  readonly mutation?: { readonly class: string; readonly rule: string; readonly declared?: string }
}

/** A line for each committed change in the ledger: its class, the deciding rule, and the file. */
export async function changeLines(records: AsyncIterable<TraceRecord>): Promise<string[]> {
  const lines: string[] = []
  for await (const record of records) {
    for (const { path, mutation } of changesOf(record)) {
      if (mutation === undefined) continue
      const paint = mutation.class === 'AST_REFACTOR' ? colors.green : colors.yellow
      const declared = mutation.declared === undefined ? '' : `, declared ${mutation.declared}`
      lines.push(`  ${paint(mutation.class.padEnd(16))} ${path} ${colors.dim(`(${mutation.rule}${declared})`)}`)
    }
  }
  return lines
}

function changesOf({ metadata }: TraceRecord): readonly Change[] {
  const own = (metadata as Record<string, { readonly changes?: readonly Change[] }> | undefined)?.['dev.escrowfs']
  return own?.changes ?? []
}
