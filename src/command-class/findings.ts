import { type Classified, type ClassReason, COMMAND_CLASSES, type CommandClass } from '../core/command-class.js'

/** Of a part and of a reason, so that a record stays short. */
const MAX_PART = 120

/** Reasons that are told; the classes count all of them. */
const MAX_REASONS = 20

/** What the parts of a line were found to do. */
export class Findings {
  readonly #classes = new Set<CommandClass>()
  readonly #why = new Map<string, ClassReason>()

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
    this.add('other', part, because)
  }

  addAll({ classes, why }: Classified): undefined {
    for (const each of why) this.add(each.class, each.part, each.because)
    for (const each of classes) this.#classes.add(each)
  }

  has(wanted: CommandClass): boolean {
    return this.#classes.has(wanted)
  }

  /** In the order of {@link COMMAND_CLASSES}; a line without a part that does anything only reads. */
  toClassified(): Classified {
    const worse = COMMAND_CLASSES.filter((each) => each !== 'read-only' && this.#classes.has(each))
    const classes: readonly CommandClass[] = worse.length > 0 ? worse : ['read-only']
    return { classes, why: [...this.#why.values()].filter((reason) => classes.includes(reason.class)) }
  }
}
