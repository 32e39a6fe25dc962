import { join } from 'node:path'
import type { Change, Hunk } from 'escrowfs'
import type { Side, StagedSides } from 'escrowfs/vscode'
import type * as vscode from 'vscode'
import { StaleChange } from './decide.js'
import type { Library } from './library.js'
import { type ChangeNode, type HunkNode, hunksToDecide } from './nodes.js'
import type { ReviewModel } from './review-model.js'
import type { SessionSnapshot } from './reviewed-workspace.js'

/** Opens diff editors of staged changes, and maps their documents to changes. */
export class Editors {
  constructor(
    private readonly api: typeof vscode,
    private readonly model: ReviewModel,
    private readonly sides: StagedSides<vscode.Uri>,
    private readonly editor: Library['editor'],
  ) {}

  /** Opens both sides of a change, at the lines of a hunk. A new or deleted file has only one side. */
  async open(node: ChangeNode | HunkNode): Promise<void> {
    const { snapshot, change } = node
    const at = node.kind === 'hunk' ? node.hunk.newStart : change.hunks[0]?.newStart
    const line = Math.max((at ?? 1) - 1, 0)
    const options = { preview: true, selection: new this.api.Range(line, 0, line, 0) }
    const [before, after] = [this.#side(snapshot, change, 'before'), this.#side(snapshot, change, 'after')]
    this.#markOpened(snapshot, change)
    const only = change.before === null ? 'new' : change.after === null ? 'deleted' : undefined
    const title = this.editor.plainName(`${change.path} (${[snapshot.summary.id, ...(only ? [only] : [])].join(', ')})`)
    const { commands } = this.api
    if (only === undefined) await commands.executeCommand('vscode.diff', before, after, title, options)
    else await commands.executeCommand('vscode.open', only === 'new' ? after : before, options, title)
  }

  /** Opens all changes of a session in one editor, in reading order. */
  async openAll(snapshot: SessionSnapshot): Promise<void> {
    const changes = snapshot.groups.flatMap((group) => group.changes).filter(({ kind }) => kind !== 'mkdir')
    const resources = changes.map((change) => [
      this.api.Uri.file(join(snapshot.reviewed.root, change.path)),
      change.before === null ? undefined : this.#side(snapshot, change, 'before'),
      change.after === null ? undefined : this.#side(snapshot, change, 'after'),
    ])
    for (const change of changes) this.#markOpened(snapshot, change)
    const title = this.editor.plainName(`Staged by ${snapshot.summary.id}`)
    await this.api.commands.executeCommand('vscode.changes', title, resources)
  }

  /** The current snapshot of a document's session. */
  snapshotOf(uri: vscode.Uri): SessionSnapshot | undefined {
    const ref = uri.scheme === this.editor.STAGED_SCHEME ? this.editor.sideRefOf(uri) : undefined
    return this.model.sessions.find(
      ({ reviewed, summary }) => reviewed.root === ref?.root && summary.id === ref.session,
    )
  }

  /**
   * The change that a document shows.
   * @throws StaleChange if the stage has a newer change
   */
  changeOf(uri: vscode.Uri): ChangeNode | undefined {
    const ref = uri.scheme === this.editor.STAGED_SCHEME ? this.editor.sideRefOf(uri) : undefined
    if (ref === undefined) return undefined
    const snapshot = this.snapshotOf(uri)
    const change = snapshot?.set.changes.find(({ path }) => path === ref.path)
    if (snapshot === undefined || change === undefined) throw new Error(`${ref.path} is not staged any more.`)
    const node: ChangeNode = { kind: 'change', snapshot, change }
    if (keyOf(snapshot, ref.path) !== ref.shown) throw new StaleChange(ref.path, node)
    return node
  }

  /** The hunk at a line of a document, from 0. Returns the whole change if it has no hunks to decide on. */
  hunkAt(uri: vscode.Uri, line: number): ChangeNode | HunkNode | undefined {
    const node = this.changeOf(uri)
    if (node === undefined) return undefined
    const hunks = hunksToDecide(node.change)
    if (hunks.length === 0) return node
    const side = this.editor.sideRefOf(uri)?.side ?? 'after'
    const hunk = hunks.find((each) => isWithin(each, side, line + 1))
    return hunk === undefined ? undefined : { ...node, kind: 'hunk', hunk }
  }

  sideOf(uri: vscode.Uri): Side | undefined {
    return this.editor.sideRefOf(uri)?.side
  }

  /** True for the side that a person reads: the new one, or the old one of a deletion. */
  isReadSide(uri: vscode.Uri, { change }: ChangeNode): boolean {
    return this.editor.sideRefOf(uri)?.side === (change.after === null ? 'before' : 'after')
  }

  #side(snapshot: SessionSnapshot, change: Change, side: Side): vscode.Uri {
    const { reviewed, summary } = snapshot
    const { path, [side]: digest } = change
    const shown = keyOf(snapshot, path)
    return this.sides.uri({ root: reviewed.root, session: summary.id, path, side, digest, shown })
  }

  #markOpened(snapshot: SessionSnapshot, { path }: Change): void {
    snapshot.reviewed.markOpened(snapshot.summary.id, path, keyOf(snapshot, path))
  }
}

function keyOf({ reviewed, set }: SessionSnapshot, path: string): string {
  return reviewed.library.editor.displayKey(set, path)
}

function isWithin(hunk: Hunk, side: Side, line: number): boolean {
  const [start, length] = side === 'before' ? [hunk.oldStart, hunk.oldLines] : [hunk.newStart, hunk.newLines]
  return line >= start && line < start + Math.max(length, 1)
}
