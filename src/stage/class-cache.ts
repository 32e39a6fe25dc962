import { readFileSync } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import type { KnownClasses } from '../change-class/index.js'
import type { Layout } from '../core/layout.js'
import type { Measured } from '../core/mutation.js'
import { appendOnto, replaceDurable } from '../os/write.js'
import { CLASSIFIER, classLine } from './class-line-schema.js'

/** The limit of classes in the cache. Beyond it the older half is dropped. */
const MOST = 8_192

/**
 * The classes of changes, cached in the state directory: a review measures them, and the commit after it, in any
 * process, looks them up. Keyed by the digests of both contents and the path. Disk errors cost only a new measurement.
 * No agent can write the state directory.
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
    const { success, data } = classLine.safeParse(parseLine(line))
    if (success) known.set(data.key, { class: data.class, rule: data.rule, detail: data.detail })
  }
  return known
}

/** Undefined for a line that another process is still writing. */
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

/** Reads a cache from its file. {@link classCache} shares one in a process. */
export function openClassCache(file: string): KnownClasses {
  return new ClassCache(file)
}

const opened = new Map<string, KnownClasses>()

/** The one cache of a workspace in this process. */
export function classCache({ classes }: Layout): KnownClasses {
  const known = opened.get(classes)
  if (known !== undefined) return known
  const cache = openClassCache(classes)
  opened.set(classes, cache)
  return cache
}
