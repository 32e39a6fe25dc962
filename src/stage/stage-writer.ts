import type { Overlay, StageEdit, StageLog } from '../../overlay/index.js'

/** Applies an edit to a stage and its log, as one. Without a log, to the stage alone. */
export class StageWriter {
  constructor(
    readonly overlay: Overlay,
    private readonly log: StageLog | undefined,
  ) {}

  apply(edit: StageEdit, data?: Uint8Array): void {
    const packed = this.log?.append(edit, data)
    this.overlay.apply(edit, data, packed)
  }
}

/** Nanoseconds since 1970, as edits carry them. */
export function editTime(): string {
  return String(BigInt(Date.now()) * 1_000_000n)
}
