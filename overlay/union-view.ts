import { Union } from 'unionfs/lib/union.js'
import { fsError } from './errno.js'
import type { MergedView } from './merged.js'
import { isWithin, type RelPath } from './path.js'

/**
 * Asynchronous reads by unionfs over two read-only gates. unionfs tries its layers from the last to the first and falls
 * through on any error, so each layer refuses the other's paths: the upper gate everything unstaged, the lower gate
 * everything that the stage covers. Neither gate has a mutator.
 */
export interface UnionView {
  /** Returns a file's content, read without blocking. The path is physical, and a link at its end is not followed. */
  readFile(path: RelPath): Promise<Buffer>
}

/** The methods of a gate: promises for reading, and nothing else. */
interface Gate {
  readonly promises: { readFile(path: string): Promise<Buffer> }
}

/** One error for every miss, made once without a stack: unionfs only checks that there is one. */
const MISS = missOnce()

export function unionView(merged: MergedView): UnionView {
  const { root } = merged.lower
  const placeOf = (path: string) => {
    if (!isWithin(path, root)) throw MISS
    return merged.shownAt(path.slice(root.length + 1) as RelPath)
  }
  const upper: Gate = {
    promises: {
      async readFile(path: string) {
        const inode = placeOf(path).node?.inode
        if (inode?.type !== 'file') throw MISS
        return inode.bytes()
      },
    },
  }
  const lower: Gate = {
    promises: {
      readFile(path: string) {
        const { node, lower: below } = placeOf(path)
        if (node?.inode || node?.whiteout || below === undefined) return Promise.reject(fsError('ENOENT', 'open', path))
        return merged.lower.readLater(below)
      },
    },
  }
  const union = new Union().use(asLayer(lower)).use(asLayer(upper))
  return {
    async readFile(path) {
      try {
        return (await union.promiseMethod('readFile', [merged.lower.hostPath(path)])) as Buffer
      } catch (error) {
        // It was staged between the two gates, and neither answered.
        const { node } = merged.placeOf(path)
        if (node?.inode?.type === 'file') return node.inode.bytes()
        // unionfs chains the skipped misses to the last error.
        if (error instanceof Error && 'prev' in error) Reflect.deleteProperty(error, 'prev')
        throw error
      }
    },
  }
}

type Layer = Parameters<Union['use']>[0]

/** unionfs's types ask for a whole fs. Its code only calls the methods that are used. */
function asLayer(gate: Gate): Layer {
  return gate as unknown as Layer
}

function missOnce(): Error {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 0
  const miss = fsError('ENOENT', 'open')
  Error.stackTraceLimit = limit
  return miss
}
