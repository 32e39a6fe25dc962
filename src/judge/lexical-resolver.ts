import { posix } from 'node:path'
import { asRelPath, Errno, isWithin, type Resolved, Resolver } from '../../overlay/index.js'

/**
 * Resolves paths by their text alone and does not read the disk, for recorded calls whose files are not on this
 * machine. It assumes that every directory exists and that no name is a link.
 */
export class LexicalResolver extends Resolver {
  readonly #root: string

  constructor(root: string, overlay: ConstructorParameters<typeof Resolver>[0]) {
    super(overlay)
    this.#root = root
  }

  override resolve(text: string): Resolved {
    if (text === '') throw new Errno('ENOENT')
    const path = posix.resolve(this.#root, text)
    if (!isWithin(path, this.#root)) return { inside: false, path, asked: text }
    const inner = asRelPath(path.slice(this.#root.length + 1))
    return { inside: true, path: inner, asked: inner, type: undefined, ending: 'name' }
  }

  override quick(): undefined {
    return undefined
  }
}
