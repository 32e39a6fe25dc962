import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { codeOf } from '../../overlay/index.js'
import type { KnownClasses } from '../change-class/index.js'
import type { Layout } from '../core/layout.js'
import type { Measured } from '../core/mutation.js'
import { appendOnto, replaceDurable } from '../host/write.js'

/** Classes that are kept. Beyond it the older half goes. */
const MOST = 8_192

/** Raise it with each change of the classifier that can give another class to the same two contents. */
const CLASSIFIER = 1

const LINE = z.object({
  v: z.literal(CLASSIFIER),
  key: z.string(),
  class: z.enum(['AST_REFACTOR', 'INTENT_EVOLUTION', 'UNVERIFIED']),
  rule: z.string(),
  detail: z.string(),
})

/**
 * The classes of changes, kept in the state directory: a review measures, and the commit after it, in whatever process,
 * looks up. Keyed by the digests of both contents and the path. A cache alone: what cannot be read is measured again, what
 * cannot be written is not kept. No agent can write the state directory.
 */
class ClassCache implements KnownClasses {
  #known: Map<string, Measured> | undefined
  #lines: string[] = []

  constructor(private readonly file: string) {}

  get(key: string): Measured | undefined {
    return this.#load().get(key)
  }

  set(key: string, found: Measured): void {
    const known = this.#load()
    known.set(key, found)
    this.#lines.push(lineOf(key, found))
    if (this.#lines.length === 1) setImmediate(() => this.#write())
    if (known.size > MOST) this.#compact(known)
  }

  #load(): Map<string, Measured> {
    this.#known ??= readClasses(this.file)
    return this.#known
  }

  #write(): void {
    const lines = this.#lines.join('')
    this.#lines = []
    ignoringDisk(() => lines !== '' && appendOnto(this.file, lines, 0o600))
  }

  #compact(known: Map<string, Measured>): void {
    for (const key of [...known.keys()].slice(0, MOST / 2)) known.delete(key)
    this.#lines = []
    const text = [...known].map(([key, found]) => lineOf(key, found)).join('')
    ignoringDisk(() => replaceDurable(this.file, text, 0o600))
  }
}

function lineOf(key: string, found: Measured): string {
  return `${JSON.stringify({ v: CLASSIFIER, key, ...found })}\n`
}

function readClasses(file: string): Map<string, Measured> {
  const known = new Map<string, Measured>()
  const text = ignoringDisk(() => readFileSync(file, 'utf8')) ?? ''
  for (const line of text.split('\n')) {
    const { success, data } = LINE.safeParse(parseLine(line))
    if (success) known.set(data.key, { class: data.class, rule: data.rule, detail: data.detail })
  }
  return known
}

/** Undefined for a line that another process has not written to its end. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function ignoringDisk<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return undefined
  }
}

const opened = new Map<string, ClassCache>()

/** The one cache of a workspace in this process. */
export function classCache({ classes }: Layout): KnownClasses {
  const known = opened.get(classes)
  if (known !== undefined) return known
  const cache = new ClassCache(classes)
  opened.set(classes, cache)
  return cache
}
