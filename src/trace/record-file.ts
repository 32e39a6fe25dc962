import { defined } from '../core/defined.js'
import type { ContributorType, FileAttribution, RecordDraft } from './draft-schema.js'
import { conversationUrl, intentUri } from './uris.js'

const MODEL_MAX = 250

/** One entry of a record's `files`, in the Agent Trace format, plus the fields that older readers need. */
export function fileEntry(file: FileAttribution, draft: RecordDraft): Record<string, unknown> {
  const type = file.contributor ?? 'ai'
  const agent = file.agent === undefined ? draft.agent : (file.agent ?? undefined)
  const contributor = contributorEntry(type, agent?.model)
  const ranges = file.ranges.map((range) => ({
    start_line: range.startLine,
    end_line: range.endLine,
    content_hash: range.contentHash,
    ...(range.contributor !== undefined &&
      range.contributor !== type && {
        contributor: contributorEntry(range.contributor, agent?.model),
      }),
  }))
  const intent = file.intent === undefined ? draft.intent : file.intent
  const related =
    intent === null || intent === '' ? [] : [{ type: 'specification', url: intentUri(intent), value: intent }]
  const url = conversationUrl(agent?.conversation, draft.session)
  return {
    path: file.path,
    relative_path: file.path,
    mutation_class: file.mutationClass ?? null,
    contributor,
    ranges,
    related,
    conversations: [{ ...defined({ url }), contributor, ranges, related }],
  }
}

/** The older fields know two kinds. Lines that an agent contributed to are AI there. */
const ENTITY = { ai: 'AI', mixed: 'AI', human: 'HUMAN', unknown: null } as const satisfies Record<
  ContributorType,
  string | null
>

function contributorEntry(type: ContributorType, model: string | undefined): Record<string, unknown> {
  const known = type === 'human' ? undefined : model
  return {
    type,
    ...(known !== undefined && { model_id: trimModel(known) }),
    entity_type: ENTITY[type],
    model_identifier: known ?? null,
  }
}

/** Shortens a model id to the 250 code points that Agent Trace allows. */
function trimModel(model: string): string {
  return model.length <= MODEL_MAX ? model : [...model].slice(0, MODEL_MAX).join('')
}
