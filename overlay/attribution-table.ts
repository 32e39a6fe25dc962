import type { Attribution } from './stage-edit.js'
import { type Inode, NOBODY } from './upper.js'

/** Records the author of each inode. Most consecutive edits have one author, and share its object. */
export class AttributionTable {
  #credit: Attribution = NOBODY
  #calls: readonly string[] = []

  of({ intent, call, agent }: Attribution): Attribution {
    const last = this.#credit
    if (last.intent === intent && last.call === call && last.agent === agent) return last
    this.#credit = {
      ...(intent !== undefined && { intent }),
      ...(call !== undefined && { call }),
      ...(agent !== undefined && { agent }),
    }
    return this.#credit
  }

  /** Fields that an edit lacks stay as they were. `at`: the edit's number. */
  attribute(inode: Inode, edit: Attribution, at: number): void {
    const credit = this.of(edit)
    if (inode.credit !== credit) inode.credit = inode.credit === NOBODY ? credit : { ...inode.credit, ...credit }
    inode.creditedAt = at
    if (edit.call === undefined || inode.calls.includes(edit.call)) return
    inode.calls = inode.calls.length === 0 ? this.#callsOf(edit.call) : [...inode.calls, edit.call]
  }

  #callsOf(call: string): readonly string[] {
    if (this.#calls[0] !== call) this.#calls = [call]
    return this.#calls
  }
}
