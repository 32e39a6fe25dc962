import { type Document, isCollection, isMap, isNode, isScalar, isSeq } from 'yaml'
import { readYaml, type YamlPath } from './yaml.js'

/** Changes of a YAML text a person keeps: comments and order stay. */

/**
 * The text after a change of its document, written with the file's own indentation, padding in brackets and line ends.
 * @returns undefined where the text is no YAML of ours.
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

/** Puts a list or a map in the place of what is there; the comments of that stay with it. */
export function putNode(document: Document, path: YamlPath, value: object): void {
  const was: unknown = document.getIn(path, true)
  const node = document.createNode(value)
  const comments = isNode(was) ? [was.commentBefore, was.comment].filter((comment) => comment) : []
  if (comments.length > 0) node.commentBefore = comments.join('\n')
  document.setIn(path, node)
}

/** Makes a list hold these texts. Those that stay keep their place and comments, as long as the order is theirs. */
export function setTexts(document: Document, path: YamlPath, texts: readonly string[]): void {
  const list: unknown = document.getIn(path, true)
  if (!isSeq(list)) {
    putNode(document, path, [...texts])
    return
  }
  const textAt = (item: unknown) => (isScalar(item) ? item.value : undefined)
  const kept = list.items.filter((item) => texts.includes(String(textAt(item))))
  const missing = texts.filter((text) => !kept.some((item) => textAt(item) === text))
  const wanted = [...kept.map(textAt), ...missing]
  if (wanted.length !== texts.length || wanted.some((value, index) => value !== texts[index])) {
    putNode(document, path, [...texts])
    return
  }
  list.items = [...kept, ...missing.map((text) => document.createNode(text))]
}

/** The file's own indentation, so that adding a line does not move the others. */
function layoutOf(text: string, document: Document): { indent: number; indentSeq: boolean } {
  const root = document.contents
  const value = isMap(root)
    ? root.items.map((pair) => pair.value).find((each) => isCollection(each) && !each.flow)
    : undefined
  if (!isCollection(value) || !value.range) return { indent: 2, indentSeq: true }
  const column = value.range[0] - text.lastIndexOf('\n', value.range[0] - 1) - 1
  return { indent: column > 0 && column <= 8 ? column : 2, indentSeq: column > 0 }
}
