import type { BigIntStats, Stats } from 'node:fs'
import {
  type Attributes,
  ancestorsOf,
  asRelPath,
  childOf,
  type EditData,
  type Entry,
  type EntryType,
  isWithin,
  type Overlay,
  type PutOptions,
  type RelPath,
  type WriteFile,
  type WriteLayer,
} from '../../overlay/index.js'
import { type Access, type Decide, type Effect, isOutside } from '../core/decision.js'
import { Denied } from '../core/denials.js'
import { GuardedFile } from './guarded-file.js'
import { judgeMove } from './judge-move.js'
import type { ResolvedPath, ResolvedPathJudge } from './resolved-path-cache.js'

/** The policy, as far as a layer asks it. */
export interface GuardRules {
  readonly decide: Decide
  /**
   * What reads of plain names are decided by at a time (milliseconds): a decision stands while this is the same.
   * Undefined: no decision is to be remembered.
   */
  readsBy(at: number): unknown
  /** Whether a path, or a name below it, can be hidden at all; where none can, none is asked about. */
  mayHide(path: string): boolean
  /** Whether a write below a directory is judged as one of the directory is, but for the names that stand out. */
  alikeBelow(dir: string): boolean
  /** Whether an entry of this name may be judged by more than the directory it is in. */
  mayBeProtected(name: string): boolean
  /** The names below a directory that the session knows something of: seen by the model, rejected by a person. */
  knownBelow(dir: RelPath): readonly RelPath[]
}

/** The places a symlink's target can lead to: by the links on its way as they are now, and as it reads. */
export type LeadsTo = (target: string, link: RelPath) => readonly string[]

/** What is known of the op under way. */
export interface Op {
  /** Physical path → name as asked, for the paths that were reached through a link. */
  names: [physical: RelPath, asked: string][]
  /** The change that was allowed last. */
  effect: Effect | undefined
  path: RelPath | undefined
  /** The path whose read was allowed last: reads between two changes of a path do not make it ask again. */
  readPath: RelPath | undefined
}

function newOp(): Op {
  return { names: [], effect: undefined, path: undefined, readPath: undefined }
}

/**
 * The fourth lock: every mutator, and every read, asks for a decision about the very path it acts on. A wrong row in
 * the op table cannot slip past it, and a recursive op asks once for each entry.
 */
export class GuardedLayer implements WriteLayer, ResolvedPathJudge {
  #op: Op = newOp()
  #spare: Op | undefined

  constructor(
    private readonly layer: WriteLayer &
      Pick<Overlay, 'otherNames' | 'giveWayIn' | 'prepare'> & { open(path: RelPath): WriteFile },
    readonly rules: GuardRules,
    /** Where a symlink's target leads once the link stands at a path: relative to the root, or absolute outside. */
    private readonly leadsTo: LeadsTo,
  ) {}

  /** Begins an op: what it resolves is told by {@link recordName}. Answers the op it interrupts, for {@link end}. */
  begin(): Op {
    const outer = this.#op
    this.#op = this.#spare ?? newOp()
    this.#spare = undefined
    return outer
  }

  end(outer: Op): void {
    const ended = this.#op
    this.#op = outer
    // One op after the other is the rule: the next takes this one's place.
    ended.effect = undefined
    ended.path = undefined
    ended.readPath = undefined
    if (ended.names.length > 0) ended.names = []
    this.#spare = ended
  }

  recordName(physical: RelPath, asked: string): void {
    if (physical !== asked) this.#op.names.push([physical, asked])
  }

  /** Throws Denied unless the effect may happen to the path. */
  judge(effect: Effect, path: RelPath, link?: Omit<Access, 'effect' | 'path' | 'asked'>): void {
    const op = this.#op
    // An op asks about its own path several times over; nothing can have changed between them.
    if (link === undefined && (effect === 'read' ? op.readPath : op.effect === effect && op.path) === path) return
    const asked = this.#askedOf(path)
    const decision = this.rules.decide(link === undefined ? { effect, path, asked } : { effect, path, asked, ...link })
    if (decision.verdict === 'deny') throw new Denied(decision.denial)
    if (link !== undefined) return
    if (effect === 'read') {
      op.readPath = path
      return
    }
    op.effect = effect
    op.path = path
  }

  /** Judges a name before it could be resolved, or a place outside by it and by the name that led there. */
  judgeName(effect: Effect, path: string, asked = path): void {
    const decision = this.rules.decide({ effect, path, asked })
    if (decision.verdict === 'deny') throw new Denied(decision.denial)
  }

  /** Whether a place may be read. A refusal is not told here: who asks takes the long way, which tells it. */
  lets(spot: ResolvedPath, at: number): boolean {
    const by = this.rules.readsBy(at)
    if (by !== undefined && spot.judgedBy === by) return true
    if (!this.mayRead(spot.path, spot.path)) return false
    spot.judgedBy = by
    return true
  }

  /** Whether a path may be read, for what is told of it outside any op. */
  mayRead(path: string, asked: string): boolean {
    return this.rules.decide({ effect: 'read', path, asked }).verdict !== 'deny'
  }

  /** Whether a path, or a directory it is said to be in, is hidden: nothing may then be told of it. */
  hides(path: RelPath): boolean {
    if (!this.rules.mayHide(path) && !this.rules.mayHide(this.#askedOf(path))) return false
    return this.#hidden(path) || ancestorsOf(path).some((dir) => this.#hidden(dir))
  }

  /** As {@link hides}, of a place outside. */
  hidesName(path: string, asked: string): boolean {
    const decision = this.rules.decide({ effect: 'read', path, asked })
    return decision.verdict === 'deny' && decision.denial.reason === 'hidden'
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
    this.layer.giveWayIn(path)
    return this.layer.readdir(path).filter((entry) => !this.#hidden(childOf(path, entry.name)))
  }

  /** What is hidden among them: for judging, never for telling. */
  allEntries(path: RelPath): Entry[] {
    return this.layer.readdir(path)
  }

  names(path: RelPath): string[] {
    this.judge('read', path)
    this.layer.giveWayIn(path)
    const names = this.layer.names(path)
    return this.rules.mayHide(path) ? names.filter((name) => !this.#hidden(childOf(path, name))) : names
  }

  exists(path: RelPath): boolean | undefined {
    return this.#hidden(path) ? false : this.layer.exists(path)
  }

  readlink(path: RelPath): string {
    this.judge('read', path)
    return this.layer.readlink(path)
  }

  // ---- mutators

  put(path: RelPath, data: EditData, options?: PutOptions): void {
    this.#judgeAll('put', path)
    this.layer.put(path, data, options)
  }

  /** Readies much content for a put at a path, without holding the event loop up. */
  prepare(path: RelPath, content: Uint8Array): Promise<EditData> {
    return this.layer.prepare(path, content)
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
    judgeMove(this, from, to)
    this.layer.move(from, to)
  }

  /** Whether a write below a directory, as it is and by the name it was reached by, is judged as one of the directory. */
  alikeBelow(dir: RelPath): boolean {
    return this.rules.alikeBelow(dir) && this.rules.alikeBelow(this.#askedOf(dir))
  }

  link(existing: RelPath, path: RelPath): void {
    this.judge('link', existing)
    this.judge('link', path, { target: existing })
    // A relative link points elsewhere from another directory.
    if (this.layer.typeOf(existing) === 'symlink') this.judgeLink(this.layer.readlink(existing), path)
    this.layer.link(existing, path)
  }

  symlink(target: string, path: RelPath): void {
    this.judgeLink(target, path)
    this.layer.symlink(target, path)
  }

  /** Throws Denied unless a symlink with this target may stand at a path. */
  judgeLink(written: string, path: RelPath): void {
    for (const target of new Set(this.leadsTo(written, path))) {
      const toFile = !isOutside(target) && this.layer.typeOf(asRelPath(target)) === 'file'
      this.judge('symlink', path, { target, written, toFile })
    }
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

  /** A path that may not be read is told apart from an absent one only where the rule wants it so. */
  #hidden(path: RelPath): boolean {
    const op = this.#op
    if (op.readPath === path) return false
    const decision = this.rules.decide({ effect: 'read', path, asked: this.#askedOf(path) })
    if (decision.verdict === 'deny') return decision.denial.reason === 'hidden'
    op.readPath = path
    return false
  }

  #askedOf(path: RelPath): string {
    for (const [physical, asked] of this.#op.names)
      if (isWithin(path, physical)) return joinPath(asked, path.slice(physical.length))
    return path
  }
}

function joinPath(dir: string, below: string): string {
  const rest = below.startsWith('/') ? below.slice(1) : below
  return dir === '' || rest === '' ? dir + rest : `${dir}/${rest}`
}
