import { join } from 'node:path'
import type { Change, Hunk } from 'escrowfs'
import type { Side, StagedSides } from 'escrowfs/vscode'
import type * as vscode from 'vscode'
import { Moved } from './decide.js'
import type { Desk } from './desk.js'
import type { Library } from './library.js'
import { type ChangeNode, type HunkNode, hunksToDecide } from './nodes.js'
import type { SessionLook } from './room.js'

/** The diff editors of staged changes, and what a document of theirs is of. */
export class Editors {
  constructor(
    private readonly api: typeof vscode,
    private readonly desk: Desk,
    private readonly sides: StagedSides<vscode.Uri>,
    private readonly editor: Library['editor'],
  ) {}

  /** Opens both sides of a change; of a hunk, at its lines. Of a file that is new or deleted there is one side, and no empty other. */
  async open(node: ChangeNode | HunkNode): Promise<void> {
    const { look, change } = node
    const at = node.kind === 'hunk' ? node.hunk.newStart : change.hunks[0]?.newStart
    const line = Math.max((at ?? 1) - 1, 0)
    const options = { preview: true, selection: new this.api.Range(line, 0, line, 0) }
    const [before, after] = [this.#side(look, change, 'before'), this.#side(look, change, 'after')]
    this.#note(look, change)
    const only = change.before === null ? 'new' : change.after === null ? 'deleted' : undefined
    const title = this.editor.plainName(`${change.path} (${[look.summary.id, ...(only ? [only] : [])].join(', ')})`)
    const { commands } = this.api
    if (only === undefined) await commands.executeCommand('vscode.diff', before, after, title, options)
    else await commands.executeCommand('vscode.open', only === 'new' ? after : before, options, title)
  }

  /** Opens all changes of a session in one editor, in the order they are to be read. */
  async openAll(look: SessionLook): Promise<void> {
    const changes = look.groups.flatMap((group) => group.changes).filter(({ kind }) => kind !== 'mkdir')
    const resources = changes.map((change) => [
      this.api.Uri.file(join(look.room.root, change.path)),
      change.before === null ? undefined : this.#side(look, change, 'before'),
      change.after === null ? undefined : this.#side(look, change, 'after'),
    ])
    for (const change of changes) this.#note(look, change)
    const title = this.editor.plainName(`Staged by ${look.summary.id}`)
    await this.api.commands.executeCommand('vscode.changes', title, resources)
  }

  /** The session that a document is of, as it is now. */
  lookOf(uri: vscode.Uri): SessionLook | undefined {
    const ref = uri.scheme === this.editor.STAGED_SCHEME ? this.editor.sideRefOf(uri) : undefined
    return this.desk.looks.find(({ room, summary }) => room.root === ref?.root && summary.id === ref.session)
  }

  /**
   * The change that a document shows.
   * @throws Moved where the stage holds another by now
   */
  changeOf(uri: vscode.Uri): ChangeNode | undefined {
    const ref = uri.scheme === this.editor.STAGED_SCHEME ? this.editor.sideRefOf(uri) : undefined
    if (ref === undefined) return undefined
    const look = this.lookOf(uri)
    const change = look?.set.changes.find(({ path }) => path === ref.path)
    if (look === undefined || change === undefined) throw new Error(`${ref.path} is not staged any more.`)
    const node: ChangeNode = { kind: 'change', look, change }
    if (keyOf(look, ref.path) !== ref.shown) throw new Moved(ref.path, node)
    return node
  }

  /** The hunk at a line of a document, counted from 0; the whole change where it has no parts to decide on. */
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

  /** The side a person reads: of a change that leaves nothing, what goes. */
  isReadSide(uri: vscode.Uri, { change }: ChangeNode): boolean {
    return this.editor.sideRefOf(uri)?.side === (change.after === null ? 'before' : 'after')
  }

  #side(look: SessionLook, change: Change, side: Side): vscode.Uri {
    const { room, summary } = look
    const { path, [side]: digest } = change
    const shown = keyOf(look, path)
    return this.sides.uri({ root: room.root, session: summary.id, path, side, digest, shown })
  }

  #note(look: SessionLook, { path }: Change): void {
    look.room.opened(look.summary.id, path, keyOf(look, path))
  }
}

function keyOf({ room, set }: SessionLook, path: string): string {
  return room.library.editor.displayKey(set, path)
}

function isWithin(hunk: Hunk, side: Side, line: number): boolean {
  const [start, length] = side === 'before' ? [hunk.oldStart, hunk.oldLines] : [hunk.newStart, hunk.newLines]
  return line >= start && line < start + Math.max(length, 1)
}
