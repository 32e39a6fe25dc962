import type { TraceRecord } from '../core/api.js'
import { isObject } from '../core/is-object.js'
import { type OwnRecord, ownRecord } from './own-record.js'

/** Readers for fields of a line that any tool may have written. A value of another type reads as absent. */

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

/** The time of a record in milliseconds since 1970, if it has one. */
export function timeOf({ timestamp }: TraceRecord): number | undefined {
  const time = Date.parse(text(timestamp) ?? '')
  return Number.isNaN(time) ? undefined : time
}

/** The objects of a list. */
export function objectsOf(value: unknown): Record<string, unknown>[] {
  return listOf(value).filter(isObject)
}

/** The intent of a record; older ledgers name it `intentId`. @param own our own fields, if they are parsed already */
export function intentOf(record: TraceRecord, own?: OwnRecord): string | undefined {
  return text(record.intent_id) ?? (own ?? ownRecord(record))?.intent ?? text(record.intentId)
}
