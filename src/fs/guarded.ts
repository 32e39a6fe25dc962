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

/** The policy, as a layer uses it. */
export interface GuardRules {
  readonly decide: Decide
  /**
   * A token for read decisions at a time (milliseconds): a decision is valid while the token is the same. Undefined:
   * decisions must not be cached.
   */
  readsBy(at: number): unknown
  /** Whether a path, or a name below it, can be hidden. If none can, no name is checked. */
  mayHide(path: string): boolean
  /** Whether all writes below a directory get the directory's decision, except for protected names. */
  alikeBelow(dir: string): boolean
  /** Whether an entry of this name may be judged differently from its directory. */
  mayBeProtected(name: string): boolean
  /** The names below a directory that the session knows: seen by the model, or rejected by a person. */
  knownBelow(dir: RelPath): readonly RelPath[]
}

/** The possible targets of a symlink: resolved through the current links on its way, and lexical. */
export type LeadsTo = (target: string, link: RelPath) => readonly string[]

/** The state of the current op. */
export interface Op {
  /** Physical path → requested path, for paths that were reached through a link. */
  names: [physical: RelPath, asked: string][]
  /** The change that was allowed last. */
  effect: Effect | undefined
  path: RelPath | undefined
  /**
   * The path whose read was allowed last: a read between two changes of a path must not cause another decision on the
   * change.
   */
  readPath: RelPath | undefined
}

function newOp(): Op {
  return { names: [], effect: undefined, path: undefined, readPath: undefined }
}

/**
 * The fourth lock: every mutator, and every read, asks for a decision about exactly the path it acts on. A wrong row in
 * the op table cannot get past it, and a recursive op asks once for each entry.
 */
export class GuardedLayer implements WriteLayer, ResolvedPathJudge {
  #op: Op = newOp()
  #spare: Op | undefined

  constructor(
    private readonly layer: WriteLayer &
      Pick<Overlay, 'otherNames' | 'giveWayIn' | 'prepare'> & { open(path: RelPath): WriteFile },
    readonly rules: GuardRules,
    /** The targets of a symlink at a path: relative to the root, or absolute outside. */
    private readonly leadsTo: LeadsTo,
  ) {}

  /** Begins an op, whose paths {@link recordName} records. Returns the interrupted op, for {@link end}. */
  begin(): Op {
    const outer = this.#op
    this.#op = this.#spare ?? newOp()
    this.#spare = undefined
    return outer
  }

  end(outer: Op): void {
    const ended = this.#op
    this.#op = outer
    // Ops usually follow one another: the next reuses this one's object.
    ended.effect = undefined
    ended.path = undefined
    ended.readPath = undefined
    if (ended.names.length > 0) ended.names = []
    this.#spare = ended
  }

  recordName(physical: RelPath, asked: string): void {
    if (physical !== asked) this.#op.names.push([physical, asked])
  }

  /** Throws Denied unless the effect is allowed for the path. */
  judge(effect: Effect, path: RelPath, link?: Omit<Access, 'effect' | 'path' | 'asked'>): void {
    const op = this.#op
    // An op asks about its own path several times, and nothing can have changed in between.
    if (link === undefined && (effect === 'read' ? op.readPath : op.effect === effect && op.path) === path) return
    const asked = this.#requestedPath(path)
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

  /** Judges a name that cannot be resolved, or a place outside together with the name that led there. */
  judgeName(effect: Effect, path: string, asked = path): void {
    const decision = this.rules.decide({ effect, path, asked })
    if (decision.verdict === 'deny') throw new Denied(decision.denial)
  }

  /** Whether a place may be read. Does not report a refusal: the caller's full path does. */
  mayReadCached(cached: ResolvedPath, at: number): boolean {
    const by = this.rules.readsBy(at)
    if (by !== undefined && cached.judgedBy === by) return true
    if (!this.mayRead(cached.path, cached.path)) return false
    cached.judgedBy = by
    return true
  }

  /** Whether a path may be read, for events outside any op. */
  mayRead(path: string, asked: string): boolean {
    return this.rules.decide({ effect: 'read', path, asked }).verdict !== 'deny'
  }

  /** Whether a path or one of its parents is hidden: then nothing about it may be revealed. */
  hides(path: RelPath): boolean {
    if (!this.rules.mayHide(path) && !this.rules.mayHide(this.#requestedPath(path))) return false
    return this.#hidden(path) || ancestorsOf(path).some((dir) => this.#hidden(dir))
  }

  /** As {@link hides}, for a place outside. */
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

  /** All entries, including hidden ones: only for decisions, never for output. */
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

  /** Prepares a put of much content, without blocking the event loop. */
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

  /** Whether all writes below a directory get its decision, by its path and by the requested name. */
  alikeBelow(dir: RelPath): boolean {
    return this.rules.alikeBelow(dir) && this.rules.alikeBelow(this.#requestedPath(dir))
  }

  link(existing: RelPath, path: RelPath): void {
    this.judge('link', existing)
    this.judge('link', path, { target: existing })
    // A relative link has another target in another directory.
    if (this.layer.typeOf(existing) === 'symlink') this.judgeLink(this.layer.readlink(existing), path)
    this.layer.link(existing, path)
  }

  symlink(target: string, path: RelPath): void {
    this.judgeLink(target, path)
    this.layer.symlink(target, path)
  }

  /** Throws Denied unless a symlink with this target is allowed at a path. */
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

  /** Opens a path. Each call on the file is judged by its name at that time. */
  open(path: RelPath): WriteFile {
    this.judge('read', path)
    return new GuardedFile(this.layer.open(path), this)
  }

  #judgeAll(effect: Effect, path: RelPath): void {
    for (const name of this.layer.otherNames(path)) this.judge(effect, name)
    this.judge(effect, path)
  }

  /** Hides the difference between an unreadable and an absent path if the rule says so. */
  #hidden(path: RelPath): boolean {
    const op = this.#op
    if (op.readPath === path) return false
    const decision = this.rules.decide({ effect: 'read', path, asked: this.#requestedPath(path) })
    if (decision.verdict === 'deny') return decision.denial.reason === 'hidden'
    op.readPath = path
    return false
  }

  #requestedPath(path: RelPath): string {
    for (const [physical, asked] of this.#op.names)
      if (isWithin(path, physical)) return joinPath(asked, path.slice(physical.length))
    return path
  }
}

function joinPath(dir: string, below: string): string {
  const rest = below.startsWith('/') ? below.slice(1) : below
  return dir === '' || rest === '' ? dir + rest : `${dir}/${rest}`
}
