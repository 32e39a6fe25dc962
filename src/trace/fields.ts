import type { TraceRecord } from '../core/api.js'
import { isObject } from './lines.js'
import { ownRecord } from './own-record.js'

/** Reading fields of a line that any tool may have written: what is of another kind reads as absent. */

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function objectOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined
}

/** The objects of a list. */
export function objectsOf(value: unknown): Record<string, unknown>[] {
  return listOf(value).filter(isObject)
}

/** The intent of a record; older ledgers spell it `intentId`. */
export function intentOf(record: TraceRecord): string | undefined {
  return text(record.intent_id) ?? ownRecord(record)?.intent ?? text(record.intentId)
}
