import { readFileSync } from 'node:fs'
import { codeOf } from '../../overlay/index.js'
import { appendOnto, replaceDurable } from '../os/write.js'

/** The limits of a cache: results, and characters of all of them. Beyond one of them the oldest are dropped, down to half of it. */
const MOST = 8_192
const MAX_TEXT = 8 * 1024 * 1024
/** The longest result that is stored, in characters of JSON. */
const MAX_RESULT = 64 * 1024

export interface ResultFormat<T> {
  /** The version of the code that computes the results. Results of other versions are ignored. */
  readonly version: number
  /** Checks a result that was read from the file; undefined if it is not valid. */
  parse(value: unknown): T | undefined
}

/**
 * Results that were computed from file contents, cached in a file of the state directory for other processes. Each line
 * is `{"v":VERSION,"key":KEY,"found":RESULT}`. A line is parsed only when its result is asked for, because a command
 * needs few of them. Disk errors cost only a new computation. No agent can write the state directory.
 */
export class ResultCache<T> {
  readonly #start: string
  /** The JSON text of each result, by the JSON text of its key. */
  #known: Map<string, string> | undefined
  /** The characters of all known results. */
  #size = 0
  #unwritten: string[] = []

  constructor(
    private readonly file: string,
    private readonly format: ResultFormat<T>,
  ) {
    this.#start = `{"v":${format.version},"key":`
  }

  get(key: string): T | undefined {
    const text = this.#load().get(JSON.stringify(key))
    return text === undefined ? undefined : this.format.parse(parseJson(text))
  }

  set(key: string, result: T): void {
    const [name, text] = [JSON.stringify(key), JSON.stringify(result)]
    const known = this.#load()
    if (text.length > MAX_RESULT || known.get(name) === text) return
    this.#add(known, name, text)
    this.#unwritten.push(this.#lineOf(name, text))
    if (this.#unwritten.length === 1) setImmediate(() => this.#write())
    if (known.size > MOST || this.#size > MAX_TEXT) this.#compact(known)
  }

  #load(): Map<string, string> {
    this.#known ??= this.#read()
    return this.#known
  }

  #read(): Map<string, string> {
    const known = new Map<string, string>()
    const text = ignoringDisk(() => readFileSync(this.file, 'utf8')) ?? ''
    for (const line of text.split('\n')) {
      // JSON escapes quotation marks within a key, so that this cannot be part of one.
      const end = line.indexOf(FOUND)
      if (end > 0 && line.startsWith(this.#start) && line.endsWith('}'))
        this.#add(known, line.slice(this.#start.length, end), line.slice(end + FOUND.length, -1))
    }
    return known
  }

  #add(known: Map<string, string>, name: string, text: string): void {
    this.#size += text.length - (known.get(name)?.length ?? 0)
    known.set(name, text)
  }

  #lineOf(name: string, text: string): string {
    return `${this.#start}${name}${FOUND}${text}}\n`
  }

  #write(): void {
    const lines = this.#unwritten.join('')
    this.#unwritten = []
    ignoringDisk(() => lines !== '' && appendOnto(this.file, lines, 0o600))
  }

  #compact(known: Map<string, string>): void {
    for (const [name, text] of known) {
      if (known.size <= MOST / 2 && this.#size <= MAX_TEXT / 2) break
      known.delete(name)
      this.#size -= text.length
    }
    this.#unwritten = []
    const text = [...known].map(([name, found]) => this.#lineOf(name, found)).join('')
    ignoringDisk(() => replaceDurable(this.file, text, 0o600))
  }
}

/** Opens a cache once in this process for each file. */
export function oncePerFile<T>(open: (file: string) => T): (file: string) => T {
  const opened = new Map<string, T>()
  return (file) => {
    const known = opened.get(file)
    if (known !== undefined) return known
    const cache = open(file)
    opened.set(file, cache)
    return cache
  }
}

const FOUND = ',"found":'

/** Undefined for a line that another process is still writing. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
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
