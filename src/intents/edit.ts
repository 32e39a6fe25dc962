import { isDeepStrictEqual } from 'node:util'
import { type Document, isCollection, isMap, isScalar, isSeq, type Scalar } from 'yaml'
import type { Intent, IntentStatus } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { readYaml, type YamlFile, type YamlPath } from '../host/yaml.js'
import { type IntentsFile, readIntents } from './schema.js'

/** A person's (or a selection's) change of one intent in the registry file. */
export interface IntentEdit {
  readonly status?: IntentStatus
  /** Globs to add to the scope. */
  readonly globs?: readonly string[]
  /** The new `active_intent_id`, in a file that has that key. */
  readonly activeIntentId?: string
}

/** A registry file as read: the guarded YAML and what it says. */
export interface OpenFile {
  readonly yaml: YamlFile
  readonly data: IntentsFile
}

/**
 * The file's text with the edit in it; comments and order stay. Values that are already there are replaced in place, so
 * that nothing else of the text changes; what is missing is added through the YAML document.
 * @throws EscrowError policy_invalid when the result would not say what was asked.
 */
export function editIntent(file: OpenFile, intent: Intent, edit: IntentEdit, now: Date): string {
  const place = file.data.places.get(intent.id) ?? []
  const values = scalarEdits(file.yaml.document, place, edit, now)
  const spliced = edit.globs ? undefined : splice(file.yaml, values)
  if (spliced !== undefined && says(spliced, file, intent, edit) === undefined) return spliced
  const rewritten = rewrite(file.yaml, place, values, edit.globs)
  const problem = says(rewritten, file, intent, edit)
  if (problem === undefined) return rewritten
  throw new EscrowError('policy_invalid', `The registry cannot take this edit: ${problem}. Edit the file by hand.`)
}

type ScalarEdit = readonly [path: YamlPath, value: string]

function scalarEdits(document: Document, place: YamlPath, edit: IntentEdit, now: Date): ScalarEdit[] {
  const edits: ScalarEdit[] = []
  if (edit.status) edits.push([[...place, 'status'], edit.status])
  if (edit.activeIntentId !== undefined) edits.push([['active_intent_id'], edit.activeIntentId])
  if (document.hasIn([...place, 'updated_at'])) edits.push([[...place, 'updated_at'], now.toISOString()])
  return edits
}

/** Replaces values where they stand; undefined when one of them is not there yet. */
function splice({ text, document }: YamlFile, edits: readonly ScalarEdit[]): string | undefined {
  const cuts: { start: number; end: number; value: string }[] = []
  for (const [path, value] of edits) {
    const node: unknown = document.getIn(path, true)
    if (!isScalar(node) || !node.range || node.range[1] === node.range[0]) return undefined
    cuts.push({ start: node.range[0], end: node.range[1], value: quoted(node, value) })
  }
  let result = text
  for (const { start, end, value } of cuts.sort((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + value + result.slice(end)
  }
  return result
}

function quoted(node: Scalar, value: string): string {
  if (node.type === 'PLAIN') return value
  return node.type === 'QUOTE_SINGLE' ? `'${value}'` : JSON.stringify(value)
}

function rewrite(
  { text }: YamlFile,
  place: YamlPath,
  edits: readonly ScalarEdit[],
  globs: readonly string[] = [],
): string {
  const read = readYaml(Buffer.from(text))
  if (!read.ok) return text
  const { document } = read.file
  for (const [path, value] of edits) document.setIn(path, value)
  const nested = [...place, 'scope', 'paths']
  const list = document.hasIn(nested) ? nested : [...place, 'owned_scope']
  if (globs.length > 0 && !isSeq(document.getIn(list, true))) document.setIn(list, document.createNode([]))
  for (const glob of globs) document.addIn(list, glob)
  const written = document.toString({ lineWidth: 0, ...layout(text, document) })
  return text.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written
}

/** The file's own indentation, so that adding a line does not move the others. */
function layout(text: string, document: Document): { indent: number; indentSeq: boolean } {
  const root = document.contents
  const value = isMap(root)
    ? root.items.map((pair) => pair.value).find((each) => isCollection(each) && !each.flow)
    : undefined
  if (!isCollection(value) || !value.range) return { indent: 2, indentSeq: true }
  const column = value.range[0] - text.lastIndexOf('\n', value.range[0] - 1) - 1
  return { indent: column > 0 && column <= 8 ? column : 2, indentSeq: column > 0 }
}

/** What is wrong with an edited text: it must read as before but for the edit. */
function says(text: string, file: OpenFile, intent: Intent, edit: IntentEdit): string | undefined {
  const yaml = readYaml(Buffer.from(text))
  const read = yaml.ok ? readIntents(yaml.file) : yaml
  if (!read.ok) return read.problem.message
  const edited = read.value.intents.get(intent.id)
  const others = (all: ReadonlyMap<string, Intent>) => [...all].filter(([id]) => id !== intent.id)
  const expected = {
    ...intent,
    status: edit.status ?? intent.status,
    ownedScope: [...intent.ownedScope, ...(edit.globs ?? [])],
    ...(edited?.updatedAt !== undefined && { updatedAt: edited.updatedAt }),
  }
  const kept =
    isDeepStrictEqual(edited, expected) &&
    isDeepStrictEqual(others(read.value.intents), others(file.data.intents)) &&
    read.value.activeIntentId === (edit.activeIntentId ?? file.data.activeIntentId)
  return kept ? undefined : 'other entries would change'
}
