import { type Classified, type ClassReason, COMMAND_CLASSES, type CommandClass } from '../core/command-class.js'
import type { Word } from './words.js'

/** A step of a line: a program with its words, the target of a redirection, or a part that was not understood. */
export type Step =
  | { readonly program: string; readonly given: readonly Word[]; readonly classes: readonly CommandClass[] }
  | { readonly writes: Word }
  | 'unknown'

/** Largest length (characters) of a part and of a reason, to keep records short. */
const MAX_PART = 120

/** Largest number of reasons to list. The classes take all of them into account. */
const MAX_REASONS = 20

/** The classes found for the parts of a line. */
export class Findings {
  readonly #classes = new Set<CommandClass>()
  readonly #why = new Map<string, ClassReason>()

  /** @param steps the steps of the whole line, in order */
  constructor(readonly steps: Step[] = []) {}

  /** Findings of a part, whose steps are those of the line. */
  part(): Findings {
    return new Findings(this.steps)
  }

  add(classes: CommandClass | readonly CommandClass[], part: string, because: string): undefined {
    for (const each of [classes].flat()) {
      const key = `${each} ${because}`
      const known = (this.#why.size >= MAX_REASONS && this.#classes.has(each)) || this.#why.has(key)
      this.#classes.add(each)
      if (!known)
        this.#why.set(key, { class: each, part: part.slice(0, MAX_PART), because: because.slice(0, MAX_PART) })
    }
  }

  unknown(part: string, because: string): undefined {
    this.steps.push('unknown')
    this.add('other', part, because)
  }

  addAll({ classes, why }: Classified): undefined {
    for (const each of why) this.add(each.class, each.part, each.because)
    for (const each of classes) this.#classes.add(each)
  }

  has(wanted: CommandClass): boolean {
    return this.#classes.has(wanted)
  }

  /** Classes in the order of {@link COMMAND_CLASSES}; `read-only` where nothing else was found. */
  toClassified(): Classified {
    const worse = COMMAND_CLASSES.filter((each) => each !== 'read-only' && this.#classes.has(each))
    const classes: readonly CommandClass[] = worse.length > 0 ? worse : ['read-only']
    return { classes, why: [...this.#why.values()].filter((reason) => classes.includes(reason.class)) }
  }
}
