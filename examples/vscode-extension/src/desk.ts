import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type * as vscode from 'vscode'
import type { Library } from './library.js'
import { Room, type SessionLook } from './room.js'

/** All governed folders that are open in the editor, and what waits in them. */
export class Desk {
  readonly #changed: vscode.EventEmitter<void>
  /** By the folder as the editor names it. */
  readonly #rooms = new Map<string, Room>()
  #turn: Promise<void> = Promise.resolve()

  constructor(
    private readonly api: typeof vscode,
    private readonly libraryFor: (folder: string) => Promise<Library>,
    private readonly failed: (error: unknown) => void,
  ) {
    this.#changed = new api.EventEmitter<void>()
  }

  /** Something was looked at anew. */
  get onDidChange(): vscode.Event<void> {
    return this.#changed.event
  }

  get rooms(): readonly Room[] {
    return [...this.#rooms.values()]
  }

  get looks(): readonly SessionLook[] {
    return this.rooms.flatMap(({ looks }) => looks)
  }

  /** Opens the folders that are governed now, lets go of those that are not any more, and looks at all of them. */
  refresh(): Promise<void> {
    return this.#inTurn(async () => {
      const folders = this.#governed()
      for (const [folder, room] of this.#rooms) if (!folders.includes(folder)) await this.#leave(folder, room)
      for (const folder of folders) if (!this.#rooms.has(folder)) await this.#enter(folder)
      await this.look()
    })
  }

  /** Looks at what waits, in all of them. */
  async look(): Promise<void> {
    await Promise.all(this.rooms.map((room) => room.look()))
    this.#changed.fire()
  }

  close(): Promise<void> {
    return this.#inTurn(async () => {
      for (const [folder, room] of this.#rooms) await this.#leave(folder, room)
      this.#changed.dispose()
    })
  }

  #governed(): string[] {
    const folders = this.api.workspace.workspaceFolders ?? []
    return folders
      .filter(({ uri }) => uri.scheme === 'file' && existsSync(join(uri.fsPath, '.orchestration')))
      .map(({ uri }) => uri.fsPath)
  }

  /** One folder that cannot be opened keeps no other from being reviewed. */
  async #enter(folder: string): Promise<void> {
    try {
      const library = await this.libraryFor(folder)
      const workspace = await library.escrow.openWorkspace(folder)
      this.#rooms.set(folder, new Room(library, workspace, () => this.#changed.fire(), this.failed))
    } catch (error) {
      this.failed(error)
    }
  }

  async #leave(folder: string, room: Room): Promise<void> {
    this.#rooms.delete(folder)
    await room.close()
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const next = this.#turn.then(work)
    this.#turn = next.catch(() => undefined)
    return next
  }
}
