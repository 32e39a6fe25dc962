import { resolve } from 'node:path'
import { hostFs, type Session } from '../../index.js'
import { joinLines, lineEnd, splitLines } from './lines.js'
import type { LiveDiffView, LiveSaved } from './live.js'
import { NOTICE } from './result.js'

/** Options of {@link StagedDiffView}. */
export interface StagedDiffViewOptions {
  readonly session: () => Promise<Session>
  /** The task's directory: the workspace's root. */
  readonly cwd: string
  /** Resolves once the current call is admitted; rejects with its refusal. */
  readonly admitted: () => Promise<void>
}

/**
 * Replaces a task's diff view: contents are staged, and the disk is not changed, not even by an empty file while a call streams.
 * It opens nothing in the editor, because staged changes are reviewed together.
 */
export class StagedDiffView implements LiveDiffView {
  newProblemsMessage: string | undefined
  userEdits: string | undefined
  editType: 'create' | 'modify' | undefined
  isEditing = false
  originalContent: string | undefined
  readonly #options: StagedDiffViewOptions
  #path: string | undefined
  #content: string | undefined
  /** The last write's operation, by the staged files; the host would check the disk. */
  #operation: 'created' | 'modified' = 'modified'

  constructor(options: StagedDiffViewOptions) {
    this.#options = options
  }

  async open(relPath: string): Promise<void> {
    this.#path = relPath
    this.isEditing = true
    this.originalContent = (await this.#read(relPath)) ?? ''
  }

  async update(accumulatedContent: string, isFinal: boolean): Promise<void> {
    if (this.#path === undefined) throw new Error('The diff view was not opened.')
    // Models omit the last line end; an editor keeps it.
    const lacksLineEnd = accumulatedContent !== '' && !accumulatedContent.endsWith('\n')
    const needsLineEnd = isFinal && lacksLineEnd && this.originalContent?.endsWith('\n') === true
    this.#content = needsLineEnd ? `${accumulatedContent}\n` : accumulatedContent
  }

  async saveChanges(): Promise<LiveSaved> {
    if (this.#path === undefined || this.#content === undefined) return savedResult(undefined)
    return this.#stage(this.#path, this.#content)
  }

  async saveDirectly(relPath: string, content: string, ..._how: unknown[]): Promise<LiveSaved> {
    return this.#stage(relPath, content)
  }

  async pushToolWriteResult(): Promise<string> {
    if (this.#path === undefined) throw new Error('No file was written.')
    return JSON.stringify({ path: this.#path, operation: this.#operation, notice: NOTICE })
  }

  /** Nothing is written before {@link saveChanges}. */
  async revertChanges(): Promise<void> {
    await this.reset()
  }

  scrollToFirstDiff(): void {}

  async reset(): Promise<void> {
    this.editType = undefined
    this.isEditing = false
    this.originalContent = undefined
    this.#path = undefined
    this.#content = undefined
  }

  async #stage(relPath: string, content: string): Promise<LiveSaved> {
    await this.#options.admitted()
    const fs = await this.#fs()
    const path = resolve(this.#options.cwd, relPath)
    const before = await this.#read(relPath)
    const text = withLineEndsOf(before ?? '', content)
    await fs.promises.mkdir(resolve(path, '..'), { recursive: true })
    await fs.promises.writeFile(path, text)
    this.#path = relPath
    this.#content = text
    this.#operation = before === undefined ? 'created' : 'modified'
    this.newProblemsMessage = undefined
    this.userEdits = undefined
    return savedResult(text)
  }

  /** Undefined for a missing or unreadable file: the write itself reports the refusal. */
  async #read(relPath: string): Promise<string | undefined> {
    const fs = await this.#fs()
    return fs.promises.readFile(resolve(this.#options.cwd, relPath), 'utf8').catch(() => undefined)
  }

  /** Reads of the tools do not count as shown to the model. */
  async #fs(): Promise<Session['fs']> {
    return hostFs(await this.#options.session(), { host: 'roo', readsAreShown: false })
  }
}

function savedResult(finalContent: string | undefined): LiveSaved {
  return { newProblemsMessage: undefined, userEdits: undefined, finalContent }
}

/** The tools write LF. A file with only CRLF line ends keeps them, as in an editor. */
function withLineEndsOf(before: string, content: string): string {
  const lines = splitLines(before)
  const isCrlf = lineEnd(lines) === '\r\n' && lines.every(({ end }) => end !== '\n')
  if (!isCrlf) return content
  return joinLines(splitLines(content).map(({ text, end }) => ({ text, end: end === '' ? '' : '\r\n' })))
}
