import { isDeepStrictEqual } from 'node:util'
import { findNodeAtLocation, type Node, type ParseError, parse, parseTree, printParseErrorCode } from 'jsonc-parser'

type Path = readonly (string | number)[]
type Fields = Readonly<Record<string, unknown>>

/** Parses JSON with comments and trailing commas. Throws for anything else. */
export function parseJsonc(text: string): unknown {
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true, disallowComments: false })
  const [first] = errors
  if (first) throw new SyntaxError(`${printParseErrorCode(first.error)} at position ${first.offset}`)
  return value
}

/**
 * Changes the value of a JSON text and keeps the bytes of everything that stays. Adding an entry and removing it again
 * restores the first text, unless its object or list was empty before.
 */
export function editJson(text: string, after: Fields): string {
  return changeValue(text, [], parseJsonc(text), after)
}

function changeValue(text: string, path: Path, before: unknown, after: unknown): string {
  if (isDeepStrictEqual(before, after)) return text
  if (Array.isArray(before) && Array.isArray(after)) return editList(text, path, before, after)
  if (!isFields(before) || !isFields(after)) return replaceValue(text, path, after)
  let edited = text
  for (const key of Object.keys(before)) {
    if (!Object.hasOwn(after, key)) edited = removeValue(edited, [...path, key])
    else edited = changeValue(edited, [...path, key], before[key], after[key])
  }
  for (const [key, value] of Object.entries(after))
    if (!Object.hasOwn(before, key)) edited = addValue(edited, path, value, key)
  return edited
}

/** Keeps the order of the remaining items, and appends new ones. */
function editList(text: string, path: Path, before: readonly unknown[], after: readonly unknown[]): string {
  const remaining = [...after]
  const gone: number[] = []
  for (const [at, value] of before.entries())
    if (remaining.length > 0 && isDeepStrictEqual(remaining[0], value)) remaining.shift()
    else gone.push(at)
  let edited = text
  for (const at of gone.reverse()) edited = removeValue(edited, [...path, at])
  for (const value of remaining) edited = addValue(edited, path, value)
  return edited
}

/** Adds a value after the last entry, in the layout of the others. */
function addValue(text: string, path: Path, value: unknown, key?: string): string {
  const node = nodeAt(text, path)
  const name = key === undefined ? '' : `${JSON.stringify(key)}: `
  const [first, last] = [node.children?.at(0), node.children?.at(-1)]
  if (!first || !last) return spliceText(text, node.offset + 1, 0, `${name}${JSON.stringify(value)}`)
  const lead = text.slice(node.offset + 1, first.offset)
  const isSpread = lead.includes('\n')
  const space = isSpread ? `${eolOf(text)}${indentOf(text, first.offset)}` : ' '
  const literal = isSpread ? spread(text, value, indentOf(text, first.offset)) : JSON.stringify(value)
  return spliceText(text, last.offset + last.length, 0, `,${space}${name}${literal}`)
}

function removeValue(text: string, path: Path): string {
  const value = nodeAt(text, path)
  const node = typeof path.at(-1) === 'string' ? value.parent : value
  const siblings = node?.parent?.children ?? []
  if (!node?.parent) return text
  const at = siblings.indexOf(node)
  const [previous, next] = [siblings[at - 1], siblings[at + 1]]
  const start = previous ? previous.offset + previous.length : next ? node.offset : node.parent.offset + 1
  const end = !previous && next ? next.offset : node.offset + node.length
  return spliceText(text, start, end - start, '')
}

function replaceValue(text: string, path: Path, value: unknown): string {
  const { offset, length } = nodeAt(text, path)
  return spliceText(text, offset, length, spread(text, value, indentOf(text, offset)))
}

function nodeAt(text: string, path: Path): Node {
  const tree = parseTree(text, [], { allowTrailingComma: true })
  const node = tree && findNodeAtLocation(tree, [...path])
  if (!node) throw new Error(`The JSON has no value at ${path.join('.')}.`)
  return node
}

/** Formats a value on several lines, with the text's indentation. */
function spread(text: string, value: unknown, indent: string): string {
  const step = /^[{[]\s*\n([ \t]+)/.exec(text)?.[1] ?? '  '
  return JSON.stringify(value, null, step).replaceAll('\n', `${eolOf(text)}${indent}`)
}

/** The indentation of the line at an offset. */
function indentOf(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

function eolOf(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

function spliceText(text: string, start: number, length: number, more: string): string {
  return `${text.slice(0, start)}${more}${text.slice(start + length)}`
}

/** Returns whether a value of JSON is an object. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
