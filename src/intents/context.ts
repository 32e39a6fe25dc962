import type { Intent, IntentCheck, IntentContext } from '../core/api.js'

/** A ledger entry of the intent, as its context shows it. Unknown fields are absent. */
export interface ContextEntry {
  readonly file: string
  /** ISO 8601. */
  readonly timestamp: string
  readonly mutationClass?: string
  readonly contentHash?: string
}

/** The memory of an intent. Files and lessons are sorted by relevance; entries are in their order. */
export interface IntentMemory {
  readonly entries: readonly ContextEntry[]
  readonly files?: readonly { readonly path: string; readonly changes: number }[]
  readonly lessons?: readonly { readonly at: string; readonly text: string; readonly intent?: string }[]
}

/** The text for a model that selects an intent: one line, a blank one, then the intent as XML. */
export function intentContext(intent: Intent | undefined, memory: IntentMemory = { entries: [] }): IntentContext {
  if (!intent) return { intent: undefined, xml: 'Active intent cleared.' }
  const lines = [
    `Active intent set to ${escapeXml(intent.id)}.`,
    '',
    '<intent_context>',
    `  <intent${attributes({ id: intent.id, name: intent.name, status: intent.status })}>`,
    ...section('owned_scope', element('path', intent.ownedScope)),
    ...section('constraints', element('constraint', intent.constraints)),
    ...section('acceptance_criteria', [
      ...element('criterion', intent.acceptanceCriteria),
      ...intent.checks.map(checkElement),
    ]),
    ...section('agent_trace', memory.entries.map(traceEntry)),
    ...formatMemory(memory),
    '  </intent>',
    '</intent_context>',
  ]
  return { intent, xml: lines.join('\n') }
}

/** Formats related files and lessons; leaves out empty sections. */
function formatMemory({ files = [], lessons = [] }: IntentMemory): string[] {
  const fileElements = files.map(({ path, changes }) => `<file${attributes({ path, changes: `${changes}` })}/>`)
  const lessonElements = lessons.map(
    ({ at, text, intent }) => `<lesson${attributes({ at, intent })}>${escapeXml(text)}</lesson>`,
  )
  return [
    ...(fileElements.length > 0 ? section('related_files', fileElements) : []),
    ...(lessonElements.length > 0 ? section('lessons', lessonElements) : []),
  ]
}

function section(name: string, items: readonly string[]): string[] {
  if (items.length === 0) return [`    <${name}/>`]
  return [`    <${name}>`, ...items.map((item) => `      ${item}`), `    </${name}>`]
}

function element(name: string, texts: readonly string[]): string[] {
  return texts.map((text) => `<${name}>${escapeXml(text)}</${name}>`)
}

function checkElement({ run, paths }: IntentCheck): string {
  return `<check${attributes({ paths: paths?.join(' ') })}>${escapeXml(run)}</check>`
}

function traceEntry(entry: ContextEntry): string {
  const { file, timestamp, mutationClass, contentHash } = entry
  return `<entry${attributes({ file, timestamp, mutation_class: mutationClass, content_hash: contentHash })}/>`
}

function attributes(values: Record<string, string | undefined>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${escapeXml(value).replace(/[\t\n\r]/g, ' ')}"`))
    .join('')
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' }

// XML 1.0 cannot represent these: control characters, lone surrogates, two non-characters.
const NOT_XML = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/gu

function escapeXml(text: string): string {
  return text.replace(NOT_XML, '\ufffd').replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char)
}
