import type { BigIntStats, Stats } from 'node:fs'
import type { Attributes, Entry, EntryType, PutOptions, WriteLayer } from '../../overlay/layer.js'
import type { WriteFile } from '../../overlay/open-file.js'
import type { Overlay } from '../../overlay/overlay.js'
import { ancestorsOf, childOf, isWithin, type RelPath, ROOT } from '../../overlay/path.js'
import type { Decide, Effect } from '../core/decision.js'
import { Denied } from '../core/denials.js'

/** What is known of the op under way. */
export interface Op {
  /** Physical path → name as asked, for the paths that were reached through a link. */
  readonly names: [physical: RelPath, asked: string][]
  /** What was allowed last. */
  effect: Effect | undefined
  path: RelPath | undefined
}

function newOp(): Op {
  return { names: [], effect: undefined, path: undefined }
}

/**
 * The fourth lock: every mutator, and every read, asks for a decision about the very path it acts on. A wrong row in
 * the op table cannot slip past it, and a recursive op asks once for each entry.
 */
export class GuardedLayer implements WriteLayer {
  #op: Op = newOp()

  constructor(
    private readonly layer: WriteLayer & Pick<Overlay, 'otherNames'> & { open(path: RelPath): WriteFile },
    private readonly decide: Decide,
    /** Where a symlink's target leads once the link stands at a path: relative to the root, or absolute outside. */
    private readonly leadsTo: (target: string, link: RelPath) => string,
    /** Whether a name in a directory can be hidden at all; where none can, none is asked about. */
    private readonly mayHide: (dir: string) => boolean = () => true,
  ) {}

  /** Begins an op: what it resolves is told by {@link named}. Answers the op it interrupts, for {@link end}. */
  begin(): Op {
    const outer = this.#op
    this.#op = newOp()
    return outer
  }

  end(outer: Op): void {
    this.#op = outer
  }

  named(physical: RelPath, asked: string): void {
    if (physical !== asked) this.#op.names.push([physical, asked])
  }

  /** Throws Denied unless the effect may happen to the path. */
  judge(effect: Effect, path: RelPath, target?: string): void {
    const op = this.#op
    // An op asks about its own path several times over; nothing can have changed between them.
    if (op.effect === effect && op.path === path && target === undefined) return
    const asked = this.#askedOf(path)
    const decision = this.decide(target === undefined ? { effect, path, asked } : { effect, path, asked, target })
    if (decision.verdict === 'deny') throw new Denied(decision.denial)
    if (target !== undefined) return
    op.effect = effect
    op.path = path
  }

  /** Judges a name before it could be resolved, or a place outside by it and by the name that led there. */
  judgeName(effect: Effect, path: string, asked = path): void {
    const decision = this.decide({ effect, path, asked })
    if (decision.verdict === 'deny') throw new Denied(decision.denial)
  }

  /** Whether a path may be read, for what is told of it outside any op. */
  mayRead(path: string, asked: string): boolean {
    return this.decide({ effect: 'read', path, asked }).verdict !== 'deny'
  }

  /** Whether a path, or a directory it is said to be in, is hidden: nothing may then be told of it. */
  hides(path: RelPath): boolean {
    return this.#hidden(path) || ancestorsOf(path).some((dir) => this.#hidden(dir))
  }

  // ---- reads

  typeOf(path: RelPath): EntryType | undefined {
    return this.#hidden(path) ? undefined : this.layer.typeOf(path)
  }

  lstat(path: RelPath): Stats | undefined {
    return this.#hidden(path) ? undefined : this.layer.lstat(path)
  }

  lstatBig(path: RelPath): BigIntStats | undefined {
    return this.#hidden(path) ? undefined : this.layer.lstatBig(path)
  }

  read(path: RelPath): Buffer {
    this.judge('read', path)
    return this.layer.read(path)
  }

  readdir(path: RelPath): Entry[] {
    this.judge('read', path)
    return this.layer.readdir(path).filter((entry) => !this.#hidden(childOf(path, entry.name)))
  }

  names(path: RelPath): string[] {
    this.judge('read', path)
    const names = this.layer.names(path)
    return this.mayHide(path) ? names.filter((name) => !this.#hidden(childOf(path, name))) : names
  }

  exists(path: RelPath): boolean | undefined {
    return this.#hidden(path) ? false : this.layer.exists(path)
  }

  readlink(path: RelPath): string {
    this.judge('read', path)
    return this.layer.readlink(path)
  }

  // ---- mutators

  put(path: RelPath, data: Uint8Array, options?: PutOptions): void {
    this.#judgeAll('put', path)
    this.layer.put(path, data, options)
  }

  mkdir(path: RelPath, mode: number): void {
    this.judge('mkdir', path)
    this.layer.mkdir(path, mode)
  }

  remove(path: RelPath): void {
    this.judge('remove', path)
    this.layer.remove(path)
  }

  move(from: RelPath, to: RelPath): void {
    this.#judgeMove(from, to, this.layer.typeOf(from))
    this.layer.move(from, to)
  }

  link(existing: RelPath, path: RelPath): void {
    this.judge('link', existing)
    this.judge('link', path, existing)
    this.layer.link(existing, path)
  }

  symlink(target: string, path: RelPath): void {
    this.judge('symlink', path, this.leadsTo(target, path))
    this.layer.symlink(target, path)
  }

  setattr(path: RelPath, attributes: Attributes): void {
    this.#judgeAll('setattr', path)
    this.layer.setattr(path, attributes)
  }

  /** Opens what stands at a path. Each call on the file is judged by the name it has then. */
  open(path: RelPath): WriteFile {
    this.judge('read', path)
    return new GuardedFile(this.layer.open(path), this)
  }

  #judgeAll(effect: Effect, path: RelPath): void {
    for (const name of this.layer.otherNames(path)) this.judge(effect, name)
    this.judge(effect, path)
  }

  /** A move is judged for every entry below, at both ends: what is protected must not leave with its parent. */
  #judgeMove(from: RelPath, to: RelPath, type: EntryType | undefined): void {
    this.judge('move', from)
    this.judge('move', to)
    // A relative link points elsewhere from its new place.
    if (type === 'symlink') this.judge('symlink', to, this.leadsTo(this.layer.readlink(from), to))
    if (type !== 'dir') return
    for (const entry of this.layer.readdir(from))
      this.#judgeMove(childOf(from, entry.name), childOf(to, entry.name), entry.type)
  }

  /** A path that may not be read is told apart from an absent one only where the rule wants it so. */
  #hidden(path: RelPath): boolean {
    const op = this.#op
    if (op.effect === 'read' && op.path === path) return false
    const decision = this.decide({ effect: 'read', path, asked: this.#askedOf(path) })
    if (decision.verdict === 'deny') return decision.denial.reason === 'hidden'
    op.effect = 'read'
    op.path = path
    return false
  }

  #askedOf(path: RelPath): string {
    for (const [physical, asked] of this.#op.names)
      if (isWithin(path, physical)) return joined(asked, path.slice(physical.length))
    return path
  }
}

function joined(dir: string, below: string): string {
  const rest = below.startsWith('/') ? below.slice(1) : below
  return dir === '' || rest === '' ? dir + rest : `${dir}/${rest}`
}

/** f-ops reach a file past its name: the name it has now is judged, also behind a descriptor that can only read. */
class GuardedFile implements WriteFile {
  #last: RelPath

  constructor(
    private readonly file: WriteFile,
    private readonly layer: GuardedLayer,
  ) {
    this.#last = file.path ?? ROOT
  }

  get path(): RelPath | undefined {
    return this.file.path
  }

  get type(): 'file' | 'dir' {
    return this.file.type
  }

  read(target: Uint8Array, position: number): number {
    this.layer.judge('read', this.#name())
    return this.file.read(target, position)
  }

  stat(): Stats {
    return this.file.stat()
  }

  statBig(): BigIntStats {
    return this.file.statBig()
  }

  write(data: Uint8Array, position: number): void {
    this.#judge('put')
    this.file.write(data, position)
  }

  setattr(attributes: Attributes): void {
    this.#judge('setattr')
    this.file.setattr(attributes)
  }

  close(): void {
    this.file.close()
  }

  names(): RelPath[] {
    return this.file.names()
  }

  /** What is written shows at every hard link. */
  #judge(effect: Effect): void {
    const names = this.file.names()
    for (const name of names.length > 0 ? names : [this.#name()]) this.layer.judge(effect, name)
  }

  /** An unlinked file is judged by the last name it had. */
  #name(): RelPath {
    this.#last = this.file.path ?? this.#last
    return this.#last
  }
}
