import ts from 'typescript'
import { z } from 'zod'
import { isObject } from '../../src/core/is-object.js'
import { code, table } from './markdown.js'
import { docOf, findDeclaration, nameOf, plainDoc } from './sources.js'

/** Tables of a format's fields, from the schema that reads it or the type that writes it. */

/** A table of keys. Without required keys it has no column for them. */
function keyTable(rows: readonly (readonly string[])[]): string {
  const hasRequired = rows.some(([, , needed]) => needed !== '')
  return table(['key', 'value', ...(hasRequired ? [''] : [])], rows)
}

/** Every key of a schema; nested keys have their path: `approval.merge`. */
export function schemaTable(schema: z.ZodType): string {
  const rows = rowsOf(z.toJSONSchema(schema, { io: 'input' }), '')
  // An empty key counts as an absent one, so `null` is not listed.
  return keyTable(rows.map(([key = '', type = '', needed = '']) => [key, type.replace(/ or null$/, ''), needed]))
}

function rowsOf(schema: unknown, prefix: string): string[][] {
  if (!isObject(schema)) return []
  const below = isObject(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required : []
  return Object.entries(below).flatMap(([name, each]) => {
    const key = prefix + name
    const inner = [...rowsOf(withoutNull(each), `${key}.`), ...rowsOf(itemsOf(withoutNull(each)), `${key}[].`)]
    return [[code(key), typeOf(each), required.includes(name) ? 'required' : ''], ...inner]
  })
}

/** A nullable schema without its null. */
function withoutNull(schema: unknown): unknown {
  const others = isObject(schema) && Array.isArray(schema.anyOf) ? schema.anyOf.filter(isNotNull) : []
  return others.length === 1 ? others[0] : schema
}

function isNotNull(schema: unknown): boolean {
  return !isObject(schema) || schema.type !== 'null'
}

function itemsOf(schema: unknown): unknown {
  return isObject(schema) && schema.type === 'array' ? schema.items : undefined
}

function typeOf(schema: unknown): string {
  if (!isObject(schema)) return 'anything'
  const { anyOf, enum: words, const: word, items, pattern, additionalProperties, propertyNames } = schema
  if (Array.isArray(anyOf)) return [...new Set(anyOf.map(typeOf))].join(' or ')
  if (word === '') return 'nothing'
  if (word !== undefined) return code(String(word))
  if (Array.isArray(words)) return words.map((each) => code(String(each))).join(', ')
  if (schema.type === 'array') return `a list of: ${typeOf(items)}`
  if (schema.type === 'object') {
    if (isObject(schema.properties)) return 'a map'
    const keys = isObject(propertyNames) && propertyNames.enum ? typeOf(propertyNames) : 'strings'
    return `a map of ${keys} to ${typeOf(additionalProperties)}`
  }
  const { type, minimum, exclusiveMinimum } = schema
  if (Array.isArray(type)) return type.map((each) => typeOf({ ...schema, type: each })).join(' or ')
  if (type === 'integer') return exclusiveMinimum === 0 || minimum === 1 ? 'an integer above 0' : 'an integer'
  if (type === 'boolean') return '`true`, `false`'
  if (type === 'null') return 'null'
  return typeof pattern === 'string' ? `a string matching ${code(pattern)}` : 'a string'
}

/** A table of keys for each alternative of a union that `kind` discriminates. */
export function kindTables(
  schema: z.ZodDiscriminatedUnion,
  common: readonly string[],
): [kind: string, table: string][] {
  const json = z.toJSONSchema(schema, { io: 'input' })
  const kinds = isObject(json) ? [json.oneOf, json.anyOf].find(Array.isArray) : undefined
  if (!kinds) throw new Error('A union of kinds is expected.')
  return kinds.map((each: unknown) => {
    const properties = isObject(each) && isObject(each.properties) ? each.properties : {}
    const kind = isObject(properties.kind) ? String(properties.kind.const) : ''
    const rows = rowsOf(each, '').filter(([key = '']) => !common.some((name) => isKeyOf(key, name)))
    return [kind, keyTable(rows)]
  })
}

function isKeyOf(key: string, name: string): boolean {
  return key === code(name) || key.startsWith(`\`${name}.`) || key.startsWith(`\`${name}[]`)
}

/** A table of the named keys, which all alternatives of a union share. */
export function keysTable(schema: z.ZodType, names: readonly string[]): string {
  const json = z.toJSONSchema(schema, { io: 'input' })
  const [first]: unknown[] = isObject(json) ? ([json.oneOf, json.anyOf].find(Array.isArray) ?? []) : []
  return keyTable(rowsOf(first, '').filter(([key = '']) => names.some((name) => isKeyOf(key, name))))
}

/** The members of an interface, with their docstrings. */
export function typeTable(file: string, name: string): string {
  return table(['key', 'value', 'meaning'], memberRows(membersOf(findDeclaration(file, name))))
}

/** A table with a row for each `op` of a union of `{ op, … }`. */
export function opTable(file: string, ...names: string[]): string {
  const nodes = names.map((name) => findDeclaration(file, name))
  const rows = nodes.flatMap((node) => (ts.isTypeAliasDeclaration(node) ? literalsOf(node.type) : [])).map(opRow)
  return table(['op', 'keys', 'meaning'], rows)
}

function opRow(node: ts.TypeLiteralNode): string[] {
  const members = node.members.filter(ts.isPropertySignature)
  const keys = members.filter((each) => each.name.getText() !== 'op')
  const op = members.find((each) => each.name.getText() === 'op')?.type?.getText() ?? ''
  const all = [...keys, ...intersectedMembers(node)]
  return [code(op.replaceAll("'", '')), all.map(keyOf).join(', '), leadingComment(node)]
}

/** The members of the named types in an alternative's intersection. */
function intersectedMembers({ parent }: ts.Node): ts.PropertySignature[] {
  if (!ts.isIntersectionTypeNode(parent)) return []
  const names = parent.types.filter(ts.isTypeReferenceNode).map(({ typeName }) => typeName.getText())
  return names.flatMap((name) => membersOf(findDeclaration(nameOf(parent.getSourceFile()), name)))
}

function keyOf({ name, questionToken }: ts.PropertySignature): string {
  return code(`${name.getText()}${questionToken ? '?' : ''}`)
}

/** The comment above an alternative of a union. It is not a declaration, so the compiler has no docstring for it. */
function leadingComment(node: ts.Node): string {
  const file = node.getSourceFile().text
  // The operators between alternatives are between the comment and the node.
  const text = file.slice(0, node.getStart()).replace(/(?:[|(&\s]|\b\w+ &)*$/, '')
  if (!text.endsWith('*/')) return ''
  const doc = text.slice(text.lastIndexOf('/**') + 3, -2)
  return plainDoc(doc.replace(/^\s*\* ?/gm, '').trim())
}

function literalsOf(node: ts.TypeNode): ts.TypeLiteralNode[] {
  if (ts.isTypeLiteralNode(node)) return [node]
  if (ts.isParenthesizedTypeNode(node)) return literalsOf(node.type)
  if (ts.isUnionTypeNode(node) || ts.isIntersectionTypeNode(node)) return node.types.flatMap(literalsOf)
  return []
}

function membersOf(node: ts.InterfaceDeclaration | ts.TypeAliasDeclaration): ts.PropertySignature[] {
  const own = ts.isInterfaceDeclaration(node)
    ? node.members
    : literalsOf(node.type).flatMap(({ members }) => [...members])
  return [...own].filter(ts.isPropertySignature)
}

function memberRows(members: readonly ts.PropertySignature[]): string[][] {
  return members.map((each) => {
    const type = (each.type?.getText() ?? '').replace(/\breadonly /g, '').replace(/\s*\n\s*/g, ' ')
    return [keyOf(each), code(type), docOf(each)]
  })
}
