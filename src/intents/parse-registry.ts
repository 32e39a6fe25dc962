import type { Intent } from '../core/api.js'
import { defined } from '../core/defined.js'
import { type Parsed, parsedOnce } from '../os/parsed-texts.js'
import { readYaml, type YamlFile, type YamlPath } from '../os/yaml.js'
import type { YamlProblem } from '../os/yaml-problem.js'
import { type IntentsFile, readIntents } from './schema.js'

/** A parsed registry file: the YAML document and its data. */
export interface OpenFile {
  /** Parsed on first use: only an edit needs it. */
  readonly yaml: YamlFile
  readonly data: IntentsFile
}

export type ParsedRegistry =
  | {
      readonly ok: true
      readonly open: OpenFile
      /** The first line of each intent. */
      readonly lines: ReadonlyMap<string, number>
    }
  | { readonly ok: false; readonly problem: YamlProblem }

/** How many texts are cached: the file, its accepted text, and each of them before an edit. */
const CACHE_SIZE = 4
const cache = new Map<string, ParsedRegistry>()

/**
 * Parses the bytes of a registry file. The file and its accepted text are usually equal, and an edit reads its result again, so
 * each text is parsed once. Callers must not change the result.
 */
export function parseRegistry(bytes: Uint8Array): ParsedRegistry {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const known = cache.get(key)
  const read = known ?? parseRegistryText(bytes)
  cache.delete(key)
  cache.set(key, read)
  const [oldest] = cache.size > CACHE_SIZE ? cache.keys() : []
  if (oldest !== undefined) cache.delete(oldest)
  return read
}

function parseRegistryText(bytes: Uint8Array): ParsedRegistry {
  const read = parsedOnce('intents', bytes, () => readEntries(bytes))
  if (!read.ok) return read
  const { entries, key, isMap, activeIntentId } = read.value
  const data: IntentsFile = {
    intents: new Map(entries.map(({ intent }) => [intent.id, intent])),
    places: new Map(entries.map(({ intent, place }) => [intent.id, place])),
    key,
    isMap,
    ...defined({ activeIntentId }),
  }
  const lines = new Map(entries.map(({ intent, line }) => [intent.id, line]))
  return { ok: true, open: openFile(bytes, data), lines }
}

/** The file as plain JSON. */
interface Entries extends Pick<IntentsFile, 'key' | 'isMap' | 'activeIntentId'> {
  readonly entries: readonly { readonly intent: Intent; readonly place: YamlPath; readonly line: number }[]
}

function readEntries(bytes: Uint8Array): Parsed<Entries, YamlProblem> {
  const yaml = readYaml(bytes)
  if (!yaml.ok) return yaml
  const data = readIntents(yaml.file)
  if (!data.ok) return data
  const { intents, places, key, isMap, activeIntentId } = data.value
  const entries = [...places].flatMap(([id, place]) => {
    const intent = intents.get(id)
    return intent === undefined ? [] : [{ intent, place, line: yaml.file.problem(place, '').line }]
  })
  return { ok: true, value: { entries, key, isMap, ...defined({ activeIntentId }) } }
}

function openFile(bytes: Uint8Array, data: IntentsFile): OpenFile {
  let yaml: YamlFile | undefined
  return {
    data,
    get yaml() {
      yaml ??= yamlOf(bytes)
      return yaml
    },
  }
}

/** Of a text that was parsed before. */
function yamlOf(bytes: Uint8Array): YamlFile {
  const read = readYaml(bytes)
  if (!read.ok) throw new Error(`The intents file cannot be parsed again: ${read.problem.message}`)
  return read.file
}
