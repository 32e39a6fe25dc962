import { newId } from '../core/ids.js'
import type { RecordDraft } from './draft-schema.js'
import type { DataOf, TraceType } from './own-record.js'

/** The fields that a draft of one type may have. */
export type DraftFields<T extends TraceType> = Partial<Omit<RecordDraft, 'type' | 'data'>> & {
  readonly data?: DataOf<T>
}

/** A draft with the current time, a new id, and empty lists by default. */
export function newDraft<T extends TraceType>(
  fields: DraftFields<T> & Pick<RecordDraft, 'intent' | 'session'> & { readonly type: T },
): RecordDraft {
  return { id: newId(), timestamp: new Date().toISOString(), reqId: null, files: [], changes: [], ...fields }
}
