import { closeSync, fstatSync, readSync } from 'node:fs'
import type { TraceRecord } from '../core/api.js'
import type { SharedFile } from '../core/layout.js'
import { mayContain } from './line-words.js'
import type { Line } from './lines.js'
import { linesIn } from './read.js'
import { openIfThere } from './scan.js'

/** A state that is computed from the records of a ledger, in order. */
export interface Fold<T> {
  /** Only lines that may contain one of these words, texts in JSON, are parsed. */
  readonly words: readonly string[]
  initial(): T
  /** Changes the state by one record. */
  add(state: T, record: TraceRecord): void
}

/** How far a ledger was read. */
interface Position {
  readonly dev: number
  readonly ino: number
  /** The offset after the last complete line, and the number of lines before it. */
  end: number
  lines: number
  /** The bytes before `end`. */
  tail: Buffer
}

/** The chain makes the end of a ledger depend on every record before it, and a record's hash is near the end of its line. */
const TAIL_BYTES = 1024

/**
 * Computes a state from the ledger. Each call of the result reads only the lines that were appended since the call
 * before. It starts again if the file is another one or no longer has the bytes that were read last.
 * @returns a function that reads the new lines and returns the state, which the caller must not change. It throws
 * EscrowError `ledger_corrupt` at a line that cannot be read.
 */
export function foldLedger<T>(file: SharedFile, { words, initial, add }: Fold<T>): () => T {
  let known: { readonly position: Position; readonly state: T } | undefined

  function readNew(fd: number): T {
    const { dev, ino } = fstatSync(fd)
    const from = known !== undefined && isSameFile(fd, known.position) ? known : undefined
    const { position, state } = from ?? {
      position: { dev, ino, end: 0, lines: 0, tail: Buffer.alloc(0) },
      state: initial(),
    }
    // If this fails midway, the next call starts again.
    known = undefined
    const advance = ({ end, number }: Line) => {
      position.end = end
      position.lines = number
    }
    const wants = words.map((word) => Buffer.from(word))
    const lines = linesIn(fd, file, {
      from: position.end,
      firstNumber: position.lines + 1,
      wanted(line) {
        const isWanted = wants.some((word) => mayContain(line.bytes, word))
        if (!isWanted) advance(line)
        return isWanted
      },
    })
    // A last line that cannot be read may be a write in progress. It is not passed, so the next call reads it again.
    for (const { line, value } of lines) {
      add(state, value)
      advance(line)
    }
    position.tail = bytesBefore(fd, position.end)
    known = { position, state }
    return state
  }

  return () => {
    const fd = openIfThere(file)
    if (fd === undefined) {
      known = undefined
      return initial()
    }
    try {
      return readNew(fd)
    } finally {
      closeSync(fd)
    }
  }
}

function isSameFile(fd: number, { dev, ino, end, tail }: Position): boolean {
  const stats = fstatSync(fd)
  return stats.dev === dev && stats.ino === ino && stats.size >= end && bytesBefore(fd, end).equals(tail)
}

function bytesBefore(fd: number, end: number): Buffer {
  const bytes = Buffer.alloc(Math.min(end, TAIL_BYTES))
  const length = readSync(fd, bytes, 0, bytes.length, end - bytes.length)
  return bytes.subarray(0, length)
}
