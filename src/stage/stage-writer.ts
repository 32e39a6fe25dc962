import type { Overlay, StageEdit, StageLog } from '../../overlay/index.js'

/** Applies an edit to a stage and its log together. Without a log, only to the stage. */
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

/** The current time in the format of edits: nanoseconds since 1970. */
export function editTime(): string {
  return String(BigInt(Date.now()) * 1_000_000n)
}
