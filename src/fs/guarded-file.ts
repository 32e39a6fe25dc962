import type { BigIntStats, Stats } from 'node:fs'
import { type Attributes, type RelPath, ROOT, type WriteFile } from '../../overlay/index.js'
import type { Effect } from '../core/decision.js'

/** Calls on a descriptor: each is judged by the file's current name, also for a read-only descriptor. */
export class GuardedFile implements WriteFile {
  #last: RelPath

  constructor(
    private readonly file: WriteFile,
    private readonly layer: { judge(effect: Effect, path: RelPath): void },
  ) {
    this.#last = file.path ?? ROOT
  }

  get path(): RelPath | undefined {
    return this.file.path
  }

  get type(): 'file' | 'dir' {
    return this.file.type
  }

  read(target: Uint8Array, position: number): number {
    this.layer.judge('read', this.#name())
    return this.file.read(target, position)
  }

  stat(): Stats {
    return this.file.stat()
  }

  statBig(): BigIntStats {
    return this.file.statBig()
  }

  write(data: Uint8Array, position: number): void {
    this.#judge('put')
    this.file.write(data, position)
  }

  setattr(attributes: Attributes): void {
    this.#judge('setattr')
    this.file.setattr(attributes)
  }

  close(): void {
    this.file.close()
  }

  names(): RelPath[] {
    return this.file.names()
  }

  /** A write shows at every hard link, so each is judged. */
  #judge(effect: Effect): void {
    const names = this.file.names()
    for (const name of names.length > 0 ? names : [this.#name()]) this.layer.judge(effect, name)
  }

  /** An unlinked file is judged by its last name. */
  #name(): RelPath {
    this.#last = this.file.path ?? this.#last
    return this.#last
  }
}
