import { Errno } from './errno.js'
import type { SharedMap } from './shared-map.js'
import type { Base, ImageEdit, StageEdit } from './stage-edit.js'
import type { TreeNode } from './tree.js'

/**
 * Snapshots of a stage. One is a root of the tree, which shares with all others what they have in common (path copying;
 * Driscoll et al., Making Data Structures Persistent, 1989): O(1) to make and to travel to, and no look-up knows of it.
 */

/** All of a stage that travelling brings back. */
export interface Version {
  readonly root: TreeNode
  readonly bases: SharedMap<Base>
  /** What had been taken in by then: later commits and discards hold for it too. */
  readonly settledSeq: number
  readonly reviewed: number
  readonly reviewId: string | undefined
  /** Edits applied by then: which of two versions is the older. */
  readonly edits: number
}

/** A snapshot of a stage. */
export interface Mark {
  readonly id: string
  /** Nanoseconds since 1970. */
  readonly t: string
  readonly name?: string
  /** The tool call it was made before. */
  readonly call?: string
  readonly tool?: string
  /** The snapshot the stage was at, or had come from, when this one was made. */
  readonly parent?: string
  readonly version: Version
}

/** What snapshots are made of. */
export interface Versioned {
  freeze(): Version
  restore(version: Version): void
}

export class Snapshots {
  readonly #marks = new Map<string, Mark>()
  /** Snapshot id → how its tool call left the stage. */
  readonly #ends = new Map<string, Version>()
  #made = 0
  #at: string | undefined
  #changed = false

  constructor(private readonly stage: Versioned) {}

  /** In the order they were made. */
  list(): Mark[] {
    return [...this.#marks.values()]
  }

  get size(): number {
    return this.#marks.size
  }

  /** The highest number one was given. */
  get made(): number {
    return this.#made
  }

  get(id: string): Mark | undefined {
    return this.#marks.get(id)
  }

  /** The snapshot made last, or travelled to since. */
  get at(): Mark | undefined {
    return this.#at === undefined ? undefined : this.#marks.get(this.#at)
  }

  /** True when the stage is not as that snapshot has it. */
  get changed(): boolean {
    return this.#changed
  }

  /** How the call of a snapshot left the stage; undefined while it runs, and where it changed nothing. */
  endOf(id: string): Version | undefined {
    return this.#ends.get(id)
  }

  // ---- what edits do

  onEdit(): void {
    this.#changed = true
  }

  mark({ id, t, name, before, tool, parent = this.#at }: Extract<StageEdit, { op: 'mark' }>): void {
    const told = { ...(name !== undefined && { name }), ...(tool !== undefined && { tool }) }
    const from = { ...(before !== undefined && { call: before }), ...(parent !== undefined && { parent }) }
    this.#marks.set(id, { id, t, ...told, ...from, version: this.stage.freeze() })
    this.#made = Math.max(this.#made, Number(id.slice(1)) || 0)
    this.#at = id
    this.#changed = false
  }

  /** What came from it comes from what it came from. */
  unmark(id: string): void {
    const parent = this.#marks.get(id)?.parent
    this.#marks.delete(id)
    this.#ends.delete(id)
    for (const [key, mark] of this.#marks) {
      if (mark.parent !== id) continue
      const { parent: _, ...orphan } = mark
      this.#marks.set(key, parent === undefined ? orphan : { ...orphan, parent })
    }
    if (this.#at !== id) return
    this.#at = parent
    this.#changed = true
  }

  endCall(id: string): void {
    // It may have been dropped while its call ran.
    if (!this.#marks.has(id)) return
    this.#ends.set(id, this.stage.freeze())
  }

  /** Throws EIO for a snapshot that is not there. */
  travel({ to, less }: Extract<StageEdit, { op: 'travel' }>): void {
    const mark = this.#marks.get(to)
    if (!mark) throw new Errno('EIO')
    this.stage.restore(mark.version)
    this.#at = to
    this.#changed = less.length > 0
  }

  /** A compacted log says where the stage was. */
  resume({ snapshot, changed, made = 0 }: Extract<ImageEdit, { op: 'resume' }>): void {
    this.#made = Math.max(this.#made, made)
    this.#at = snapshot
    this.#changed = changed
  }
}
