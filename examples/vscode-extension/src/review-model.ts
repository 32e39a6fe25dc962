import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type * as vscode from 'vscode'
import type { Library } from './library.js'
import { ReviewedWorkspace, type SessionSnapshot } from './reviewed-workspace.js'

/** The governed folders that are open in the editor, with their sessions. */
export class ReviewModel {
  readonly #changed: vscode.EventEmitter<void>
  /** Keyed by the folder's path in the editor. */
  readonly #workspaces = new Map<string, ReviewedWorkspace>()
  #queue: Promise<void> = Promise.resolve()

  constructor(
    private readonly api: typeof vscode,
    private readonly libraryFor: (folder: string) => Promise<Library>,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#changed = new api.EventEmitter<void>()
  }

  /** Fires after each reload. */
  get onDidChange(): vscode.Event<void> {
    return this.#changed.event
  }

  get workspaces(): readonly ReviewedWorkspace[] {
    return [...this.#workspaces.values()]
  }

  get sessions(): readonly SessionSnapshot[] {
    return this.workspaces.flatMap(({ sessions }) => sessions)
  }

  /** Opens newly governed folders, closes those that are no longer governed, and reloads all. */
  refresh(): Promise<void> {
    return this.#enqueue(async () => {
      const folders = this.#governedFolders()
      for (const [folder, reviewed] of this.#workspaces)
        if (!folders.includes(folder)) await this.#closeFolder(folder, reviewed)
      for (const folder of folders) if (!this.#workspaces.has(folder)) await this.#openFolder(folder)
      await this.reload()
    })
  }

  /** Reloads all workspaces. */
  async reload(): Promise<void> {
    await Promise.all(this.workspaces.map((reviewed) => reviewed.reload()))
    this.#changed.fire()
  }

  close(): Promise<void> {
    return this.#enqueue(async () => {
      for (const [folder, reviewed] of this.#workspaces) await this.#closeFolder(folder, reviewed)
      this.#changed.dispose()
    })
  }

  #governedFolders(): string[] {
    const folders = this.api.workspace.workspaceFolders ?? []
    return folders
      .filter(({ uri }) => uri.scheme === 'file' && existsSync(join(uri.fsPath, '.orchestration')))
      .map(({ uri }) => uri.fsPath)
  }

  /** Opens a folder. An error does not affect other folders. */
  async #openFolder(folder: string): Promise<void> {
    try {
      const library = await this.libraryFor(folder)
      const workspace = await library.escrow.openWorkspace(folder)
      this.#workspaces.set(folder, new ReviewedWorkspace(library, workspace, () => this.#changed.fire(), this.onError))
    } catch (error) {
      this.onError(error)
    }
  }

  async #closeFolder(folder: string, reviewed: ReviewedWorkspace): Promise<void> {
    this.#workspaces.delete(folder)
    await reviewed.close()
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const next = this.#queue.then(work)
    this.#queue = next.catch(() => undefined)
    return next
  }
}
