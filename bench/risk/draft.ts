import type { Changed, Side } from '../../src/risk/index.js'
import type { Corpus, SourceFile } from './corpus.js'
import type { Random } from './random.js'

/** A change set that is being built: files before and after. */
export class Draft {
  readonly #before = new Map<string, string>()
  readonly #after = new Map<string, string>()
  readonly #modes = new Map<string, number>()

  constructor(
    readonly random: Random,
    readonly corpus: Corpus,
  ) {}

  /** A suitable source or test that the set has not changed yet. */
  file(kind: 'sources' | 'tests' = 'sources', suits: (text: string) => boolean = () => true): SourceFile {
    for (let tries = 0; tries < 4_000; tries++) {
      const found = this.random.pick(this.corpus[kind])
      if (!this.#before.has(found.path) && !this.#after.has(found.path) && suits(found.text)) return found
    }
    throw new Error('No file of the corpus suits.')
  }

  /** The text of a path after the set. */
  read(path: string): string {
    return this.#after.get(path) ?? this.#before.get(path) ?? ''
  }

  /** Restores a file to its state before the change. */
  had(path: string, text: string): void {
    if (!this.#before.has(path)) this.#before.set(path, text)
    if (!this.#after.has(path)) this.#after.set(path, text)
  }

  write(path: string, text: string): void {
    this.#after.set(path, text)
  }

  remove(path: string): void {
    this.#after.delete(path)
  }

  mode(path: string, mode: number): void {
    this.#modes.set(path, mode)
  }

  changedPaths(): string[] {
    return this.changes().map(({ path }) => path)
  }

  /** The files that differ, by path. */
  changes(): Changed[] {
    const paths = [...new Set([...this.#before.keys(), ...this.#after.keys()])].sort()
    return paths.flatMap((path): Changed[] => {
      const [before, after] = [this.#before.get(path), this.#after.get(path)]
      const mode = this.#modes.get(path)
      if (before === after && mode === undefined) return []
      const kind =
        before === undefined ? 'create' : after === undefined ? 'delete' : before === after ? 'mode' : 'modify'
      return [{ path, kind, before: sideOf(before), after: sideOf(after, mode) }]
    })
  }
}

function sideOf(text: string | undefined, mode = 0o644): Side | null {
  return text === undefined ? null : { type: 'file', mode, content: Buffer.from(text) }
}
