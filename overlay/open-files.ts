import type { OpenFile } from './open-file.js'
import type { RelPath } from './path.js'
import type { StageEdit } from './stage-edit.js'
import type { Inode } from './upper.js'

interface Node {
  readonly children: Map<string, Node>
  readonly files: Set<OpenFile>
}

/** The open files of an overlay by name, so that an edit touches only those it concerns. */
export class OpenFiles {
  readonly #all = new Set<OpenFile>()
  readonly #root = newNode()

  add(file: OpenFile): void {
    this.#all.add(file)
    this.#index(file)
  }

  delete(file: OpenFile): void {
    this.#all.delete(file)
    this.#unindex(file)
  }

  /** Sets a file's name; undefined when it has none any more. */
  rename(file: OpenFile, path: RelPath | undefined): void {
    this.#unindex(file)
    file.path = path
    this.#index(file)
  }

  /** Updates the names of open files after an edit. */
  follow(edit: StageEdit): void {
    if (this.#all.size === 0) return
    if (edit.op === 'travel') for (const file of this.#all) file.onTravel()
    else if (edit.op === 'move') this.#move(edit.from, edit.to)
    else if (edit.op === 'remove') for (const file of this.#at(edit.path)) this.rename(file, undefined)
    else if (edit.op === 'put' && edit.inode) for (const file of this.#at(edit.path)) file.copiedUp()
    else if (edit.op === 'settle') for (const path of edit.drop) for (const file of this.#at(path)) file.onSettle()
  }

  /** Replaces an inode that a snapshot keeps by its copy. */
  onCopy(from: Inode, to: Inode): void {
    if (from.opens === 0) return
    for (const file of this.#all) if (file.inode === from) file.adopt(to)
  }

  #move(from: RelPath, to: RelPath): void {
    for (const file of this.#within(to)) this.rename(file, undefined)
    for (const file of this.#within(from)) {
      const { path } = file
      if (path !== undefined) this.rename(file, (to + path.slice(from.length)) as RelPath)
    }
  }

  #at(path: RelPath): OpenFile[] {
    return [...(this.#node(path)?.files ?? [])]
  }

  #within(path: RelPath): OpenFile[] {
    const node = this.#node(path)
    return node ? filesOf(node) : []
  }

  #node(path: RelPath): Node | undefined {
    let node: Node | undefined = this.#root
    for (const segment of path.split('/')) node = node?.children.get(segment)
    return node
  }

  #index(file: OpenFile): void {
    if (file.path === undefined) return
    let node = this.#root
    for (const segment of file.path.split('/')) {
      const child = node.children.get(segment) ?? newNode()
      node.children.set(segment, child)
      node = child
    }
    node.files.add(file)
  }

  #unindex(file: OpenFile): void {
    if (file.path === undefined) return
    const way = [this.#root]
    const segments = file.path.split('/')
    for (const segment of segments) {
      const child = way.at(-1)?.children.get(segment)
      if (!child) return
      way.push(child)
    }
    way.at(-1)?.files.delete(file)
    for (let depth = segments.length; depth > 0; depth--) {
      const node = way[depth]
      if (!node || node.files.size > 0 || node.children.size > 0) return
      way[depth - 1]?.children.delete(segments[depth - 1] ?? '')
    }
  }
}

function newNode(): Node {
  return { children: new Map(), files: new Set() }
}

function filesOf(node: Node): OpenFile[] {
  return [...node.files, ...[...node.children.values()].flatMap(filesOf)]
}
