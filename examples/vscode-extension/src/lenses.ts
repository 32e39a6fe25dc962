import type * as vscode from 'vscode'
import type { Editors } from './editors.js'
import { partsOf } from './navigation.js'
import type { ChangeNode, HunkNode } from './nodes.js'
import type { ReviewModel } from './review-model.js'

/** Code lenses above each hunk of a staged side, with its state and the verdicts. */
export function hunkLenses(api: typeof vscode, model: ReviewModel, editors: Editors): vscode.CodeLensProvider {
  return {
    onDidChangeCodeLenses: model.onDidChange,
    provideCodeLenses(document) {
      const change = changeIn(editors, document.uri)
      if (change === undefined || !editors.isReadSide(document.uri, change)) return []
      return partsOf(change).flatMap((part) => lensesOf(api, part, document.lineCount))
    },
  }
}

/** The change of a document. Undefined for a stale one, which gets no lenses. */
function changeIn(editors: Editors, uri: vscode.Uri): ChangeNode | undefined {
  try {
    return editors.changeOf(uri)
  } catch {
    return undefined
  }
}

function lensesOf(api: typeof vscode, part: ChangeNode | HunkNode, lineCount: number): vscode.CodeLens[] {
  const hunk = part.kind === 'hunk' ? part.hunk : part.change.hunks[0]
  const line = Math.min(Math.max((hunk?.newStart ?? 1) - 1, 0), Math.max(lineCount - 1, 0))
  const range = new api.Range(line, 0, line, 0)
  const { state } = part.kind === 'hunk' ? part.hunk : part.change
  const verdicts = [
    { title: `$(check) Approve${state === 'approved' ? 'd' : ''}`, command: 'escrowfs.approve' },
    { title: `$(close) Reject${state === 'rejected' ? 'ed' : '…'}`, command: 'escrowfs.reject' },
    { title: '$(trash) Discard…', command: 'escrowfs.discard' },
  ]
  return verdicts.map((verdict) => new api.CodeLens(range, { ...verdict, arguments: [part] }))
}
