import type { ChecklistItem, CheckReport } from '../index.js'
import { oneLine, printable } from '../surface/index.js'
import type { WireChecks, WireSentence } from './wire.js'

/** The checks for the page. A program's output is shown with hidden characters by name. */
export function toWireChecks({ selection, checks }: CheckReport): WireChecks {
  return {
    selection,
    checks: checks.map(({ intentId, check, state, evidence }) => ({
      intentId,
      run: check.run,
      state,
      ...(evidence && {
        end: evidence.ended === undefined ? `exit code ${evidence.exitCode}` : `stopped: ${oneLine(evidence.ended)}`,
        at: evidence.at,
        output: printable(evidence.output),
      }),
    })),
  }
}

/** The checklist for the page. The page shows hidden characters by name, and sends the exact sentence back. */
export function toWireChecklist(items: readonly ChecklistItem[]): WireSentence[] {
  return items.map(({ intentId, criterion, ticked, by }) => ({
    intentId,
    criterion,
    ticked,
    ...(by && { by: oneLine(by.name) }),
  }))
}
