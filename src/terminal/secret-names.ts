import { childOf, isSettled, type Overlay, type RelPath, ROOT } from '../../overlay/index.js'
import { ifReadable, ifThere } from '../os/read.js'

/** Directories that are not searched: they hold thousands of files and no person's secrets. */
const SKIPPED = new Set(['.git', '.orchestration', 'node_modules'])

interface Listing {
  readonly stamp: string
  readonly dirs: readonly string[]
  readonly secrets: readonly string[]
}

const NOTHING: Omit<Listing, 'stamp'> = { secrets: [], dirs: [] }

/** Finds files in the merged view whose names mark them as secret. Listings of the disk are cached per directory. */
export class SecretNames {
  readonly #known = new Map<RelPath, Listing>()

  constructor(private readonly isSecret: (name: string) => boolean) {}

  /**
   * The topmost matching paths.
   * @param unreadable gets the directories that this user may not read
   */
  find(overlay: Overlay, unreadable: RelPath[] = []): RelPath[] {
    return [...this.#below(overlay, ROOT, unreadable)]
  }

  *#below(overlay: Overlay, dir: RelPath, unreadable: RelPath[]): Generator<RelPath, undefined> {
    const listing = ifReadable(() => ifThere(dir, () => this.#list(overlay, dir)) ?? NOTHING)
    if (listing === undefined) unreadable.push(dir)
    for (const name of listing?.secrets ?? []) yield childOf(dir, name)
    for (const name of listing?.dirs ?? []) yield* this.#below(overlay, childOf(dir, name), unreadable)
  }

  #list(overlay: Overlay, dir: RelPath): Omit<Listing, 'stamp'> {
    const { node, lower } = overlay.shownAt(dir)
    return node === undefined && lower !== undefined ? this.#onDisk(overlay, lower) : this.#listMerged(overlay, dir)
  }

  #listMerged(overlay: Overlay, dir: RelPath): Omit<Listing, 'stamp'> {
    return this.#toListing(overlay.readdir(dir))
  }

  #onDisk(overlay: Overlay, dir: RelPath): Omit<Listing, 'stamp'> {
    const stats = overlay.lower.lstatBig(dir)
    const stamp = `${stats?.ino} ${stats?.mtimeNs} ${stats?.ctimeNs}`
    const known = this.#known.get(dir)
    if (known?.stamp === stamp) return known
    const listing = this.#toListing(overlay.lower.readdir(dir))
    if (stats !== undefined && isSettled(Number(stats.ctimeNs) / 1e6)) this.#known.set(dir, { stamp, ...listing })
    return listing
  }

  #toListing(entries: readonly { readonly name: string; readonly type: string }[]): Omit<Listing, 'stamp'> {
    const secrets = entries.filter(({ name }) => this.isSecret(name)).map(({ name }) => name)
    const dirs = entries.filter(({ name, type }) => type === 'dir' && !SKIPPED.has(name) && !this.isSecret(name))
    return { secrets, dirs: dirs.map(({ name }) => name) }
  }
}
