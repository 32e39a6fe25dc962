import { type Document, isCollection, isMap, isNode, isScalar, isSeq } from 'yaml'
import { readYaml, type YamlPath } from './yaml.js'

/** Edits YAML texts that a person keeps: comments and order stay. */

/**
 * Applies a change to a text's document, and writes it with the file's own indentation, bracket padding and line ends.
 * @returns undefined if the text cannot be edited
 */
export function rewriteYaml(text: string, change: (document: Document) => void): string | undefined {
  const read = readYaml(Buffer.from(text))
  if (!read.ok) return undefined
  const { document } = read.file
  change(document)
  const flowCollectionPadding = !/: [[{][^\s\]}]/.test(text)
  const written = document.toString({ lineWidth: 0, flowCollectionPadding, ...layoutOf(text, document) })
  return text.includes('\r\n') ? written.replaceAll('\n', '\r\n') : written
}

/** Replaces a node by a list or a map, and keeps the node's comments. */
export function putNode(document: Document, path: YamlPath, value: object): void {
  const was: unknown = document.getIn(path, true)
  const node = document.createNode(value)
  const comments = isNode(was) ? [was.commentBefore, was.comment].filter((comment) => comment) : []
  if (comments.length > 0) node.commentBefore = comments.join('\n')
  document.setIn(path, node)
}

/** Sets the items of a list. Items that stay keep their place and comments, as long as their order is the same. */
export function setTexts(document: Document, path: YamlPath, texts: readonly string[]): void {
  const list: unknown = document.getIn(path, true)
  if (!isSeq(list)) {
    putNode(document, path, [...texts])
    return
  }
  const textAt = (item: unknown) => (isScalar(item) ? item.value : undefined)
  const remaining = list.items.filter((item) => texts.includes(String(textAt(item))))
  const missing = texts.filter((text) => !remaining.some((item) => textAt(item) === text))
  const wanted = [...remaining.map(textAt), ...missing]
  if (wanted.length !== texts.length || wanted.some((value, index) => value !== texts[index])) {
    putNode(document, path, [...texts])
    return
  }
  list.items = [...remaining, ...missing.map((text) => document.createNode(text))]
}

/** The file's own indentation, so that a new line does not reformat the others. */
function layoutOf(text: string, document: Document): { indent: number; indentSeq: boolean } {
  const root = document.contents
  const value = isMap(root)
    ? root.items.map((pair) => pair.value).find((each) => isCollection(each) && !each.flow)
    : undefined
  if (!isCollection(value) || !value.range) return { indent: 2, indentSeq: true }
  const column = value.range[0] - text.lastIndexOf('\n', value.range[0] - 1) - 1
  return { indent: column > 0 && column <= 8 ? column : 2, indentSeq: column > 0 }
}
