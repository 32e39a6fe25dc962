import { readYaml, type YamlFile, type YamlProblem } from '../os/yaml.js'
import { type IntentsFile, readIntents } from './schema.js'

/** A parsed registry file: the YAML document and its data. */
export interface OpenFile {
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
  const yaml = readYaml(bytes)
  if (!yaml.ok) return yaml
  const data = readIntents(yaml.file)
  if (!data.ok) return data
  const lines = new Map([...data.value.places].map(([id, place]) => [id, yaml.file.problem(place, '').line]))
  return { ok: true, open: { yaml: yaml.file, data: data.value }, lines }
}
