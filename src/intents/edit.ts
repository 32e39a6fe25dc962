import { isDeepStrictEqual } from 'node:util'
import { type Document, isScalar, isSeq, type Scalar } from 'yaml'
import type { Intent } from '../core/api.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { YamlFile, YamlPath } from '../os/yaml.js'
import { putNode, rewriteYaml, setTexts } from '../os/yaml-edit.js'
import { criteriaOf } from './criteria.js'
import { type OpenFile, parseRegistry } from './parse-registry.js'

/** An edited intent, and optionally the file's new `active_intent_id`. */
export interface IntentEdit {
  readonly intent: Intent
  readonly activeIntentId?: string
}

/**
 * Changes one intent in the file's text. Comments and order stay. Existing values are replaced in place, so that nothing else
 * of the text changes; missing keys are added through the YAML document.
 * @throws EscrowError `policy_invalid` when the result would change anything else.
 */
export function editIntent(file: OpenFile, before: Intent, edit: IntentEdit, now: Date): string {
  const path = file.data.places.get(before.id) ?? []
  const lists = listEdits(path, file.yaml.document, before, edit.intent)
  const scalars = scalarEdits(path, file.yaml.document, before, edit, now)
  const hasNewChecks = !isDeepStrictEqual(before.checks, edit.intent.checks)
  const spliced = lists.length > 0 || hasNewChecks ? undefined : spliceActive(file.yaml, scalars)
  if (spliced !== undefined && problemOf(spliced, file, edit) === undefined) return spliced
  return editText(file, edit, (document) => {
    for (const [path, value] of scalars) document.setIn(path, value)
    for (const [path, texts] of lists) setTexts(document, path, texts)
    if (
      hasNewChecks ||
      (before.checks.length > 0 && !isDeepStrictEqual(before.acceptanceCriteria, edit.intent.acceptanceCriteria))
    )
      putNode(document, [...path, 'acceptance_criteria'], criteriaOf(edit.intent))
  })
}

/** Appends an intent to the file's text. Throws as {@link editIntent} does. */
export function addIntent(file: OpenFile, intent: Intent): string {
  const { key, isMap } = file.data
  const { id, ...rest } = entryOf(intent)
  return editText(file, { intent }, (document) => {
    const list: unknown = document.getIn([key], true)
    const isEmpty = !isSeq(list) || list.items.length === 0
    if (isMap) document.setIn([key, id], document.createNode(rest))
    else if (isEmpty) putNode(document, [key], [{ id, ...rest }])
    else document.addIn([key], document.createNode({ id, ...rest }))
  })
}

/** An entry with its keys in the order that people write. Empty lists are left out, except for the scope. */
function entryOf(intent: Intent) {
  const { id, name, status, ownedScope, constraints, dependsOn, createdAt } = intent
  const criteria = criteriaOf(intent)
  return {
    id,
    name,
    status,
    owned_scope: [...ownedScope],
    ...(constraints.length > 0 && { constraints: [...constraints] }),
    ...(criteria.length > 0 && { acceptance_criteria: criteria }),
    ...(dependsOn.length > 0 && { depends_on: [...dependsOn] }),
    ...defined({ created_at: createdAt }),
  }
}

type ScalarEdit = readonly [path: YamlPath, value: string]
type ListEdit = readonly [path: YamlPath, texts: readonly string[]]

function scalarEdits(place: YamlPath, document: Document, before: Intent, edit: IntentEdit, now: Date): ScalarEdit[] {
  const { intent, activeIntentId } = edit
  const edits: ScalarEdit[] = []
  const name = document.hasIn([...place, 'name']) || !document.hasIn([...place, 'title']) ? 'name' : 'title'
  if (intent.name !== before.name) edits.push([[...place, name], intent.name])
  if (intent.status !== before.status) edits.push([[...place, 'status'], intent.status])
  if (activeIntentId !== undefined) edits.push([[ACTIVE], activeIntentId])
  if (document.hasIn([...place, 'updated_at'])) edits.push([[...place, 'updated_at'], now.toISOString()])
  return edits
}

function listEdits(place: YamlPath, document: Document, before: Intent, after: Intent): ListEdit[] {
  const nested = [...place, 'scope', 'paths']
  const places = {
    ownedScope: document.hasIn(nested) ? nested : [...place, 'owned_scope'],
    constraints: [...place, 'constraints'],
    acceptanceCriteria: [...place, 'acceptance_criteria'],
    dependsOn: [...place, 'depends_on'],
  } as const
  return (['ownedScope', 'constraints', 'acceptanceCriteria', 'dependsOn'] as const)
    .filter((list) => !isDeepStrictEqual(before[list], after[list]))
    .map((list) => [places[list], after[list]] as const)
}

const ACTIVE = 'active_intent_id'

/** Removes the active intent from the file's text; comments and order stay. Throws as {@link editIntent} does. */
export function clearActive(file: OpenFile): string {
  const { yaml, data } = file
  const node: unknown = yaml.document.getIn([ACTIVE], true)
  const [from = 0, to = 0] = (isScalar(node) && node.range) || []
  const edited =
    to > from
      ? `${yaml.text.slice(0, from)}null${yaml.text.slice(to)}`
      : rewriteYaml(yaml.text, (document) => document.setIn([ACTIVE], null))
  const read = parseRegistry(Buffer.from(edited ?? ''))
  const isKept =
    read.ok && read.open.data.activeIntentId === undefined && isDeepStrictEqual(read.open.data.intents, data.intents)
  if (edited === undefined || !isKept) throw cannotEdit('other entries would change')
  return edited
}

/** Like {@link splice}, but appends a line for the active intent if the file has none. */
function spliceActive(yaml: YamlFile, edits: readonly ScalarEdit[]): string | undefined {
  const isAdded = (edit: ScalarEdit) => edit[0][0] === ACTIVE && !yaml.document.hasIn([ACTIVE])
  const text = splice(
    yaml,
    edits.filter((edit) => !isAdded(edit)),
  )
  const added = edits.find(isAdded)
  if (text === undefined || added === undefined) return text
  const end = text.includes('\r\n') ? '\r\n' : '\n'
  return `${text}${text === '' || text.endsWith('\n') ? '' : end}${ACTIVE}: ${added[1]}${end}`
}

/** Replaces values in place; undefined when one of them does not exist yet. */
function splice({ text, document }: YamlFile, edits: readonly ScalarEdit[]): string | undefined {
  const cuts: { start: number; end: number; value: string }[] = []
  for (const [path, value] of edits) {
    const node: unknown = document.getIn(path, true)
    if (!isScalar(node) || !node.range || node.range[1] === node.range[0]) return undefined
    cuts.push({ start: node.range[0], end: node.range[1], value: quoteScalar(node, value) })
  }
  let result = text
  for (const { start, end, value } of cuts.sort((a, b) => b.start - a.start)) {
    result = result.slice(0, start) + value + result.slice(end)
  }
  return result
}

function quoteScalar(node: Scalar, value: string): string {
  if (node.type === 'PLAIN') return value
  return node.type === 'QUOTE_SINGLE' ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value)
}

function editText(file: OpenFile, edit: IntentEdit, change: (document: Document) => void): string {
  const { text } = file.yaml
  const written = rewriteYaml(text, change) ?? text
  const problem = problemOf(written, file, edit)
  if (problem === undefined) return written
  throw cannotEdit(problem)
}

function cannotEdit(problem: string): EscrowError {
  return new EscrowError(
    'policy_invalid',
    `This edit cannot be made automatically: ${problem}. Edit the file with 'escrow intents edit'.`,
  )
}

/** The problem of an edited text: nothing but the edit may differ. */
function problemOf(text: string, file: OpenFile, { intent, activeIntentId }: IntentEdit): string | undefined {
  const read = parseRegistry(Buffer.from(text))
  if (!read.ok) return read.problem.message
  const { data } = read.open
  const edited = data.intents.get(intent.id)
  const others = (all: ReadonlyMap<string, Intent>) => [...all].filter(([id]) => id !== intent.id)
  const expected = { ...intent, ...(edited?.updatedAt !== undefined && { updatedAt: edited.updatedAt }) }
  const isKept =
    isDeepStrictEqual(edited, expected) &&
    isDeepStrictEqual(others(data.intents), others(file.data.intents)) &&
    data.activeIntentId === (activeIntentId ?? file.data.activeIntentId)
  return isKept ? undefined : 'other entries would change'
}
