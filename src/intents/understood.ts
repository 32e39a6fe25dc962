import { readYaml, type YamlFile, type YamlProblem } from '../os/yaml.js'
import { type IntentsFile, readIntents } from './schema.js'

/** A registry file as read: the guarded YAML and what it says. */
export interface OpenFile {
  readonly yaml: YamlFile
  readonly data: IntentsFile
}

export type Understood =
  | {
      readonly ok: true
      readonly open: OpenFile
      /** The line each intent begins in. */
      readonly lines: ReadonlyMap<string, number>
    }
  | { readonly ok: false; readonly problem: YamlProblem }

/** Texts whose readings are kept: the file, what is accepted of it, and each of them before an edit. */
const TEXTS = 4
const recent = new Map<string, Understood>()

/**
 * What the bytes of a registry file say. The file and what is accepted of it are mostly one text, and an edit reads what it wrote
 * again: a text is parsed once. Nobody changes a reading.
 */
export function understand(bytes: Uint8Array): Understood {
  const key = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const known = recent.get(key)
  const read = known ?? understandNow(bytes)
  recent.delete(key)
  recent.set(key, read)
  const [oldest] = recent.size > TEXTS ? recent.keys() : []
  if (oldest !== undefined) recent.delete(oldest)
  return read
}

function understandNow(bytes: Uint8Array): Understood {
  const yaml = readYaml(bytes)
  if (!yaml.ok) return yaml
  const data = readIntents(yaml.file)
  if (!data.ok) return data
  const lines = new Map([...data.value.places].map(([id, place]) => [id, yaml.file.problem(place, '').line]))
  return { ok: true, open: { yaml: yaml.file, data: data.value }, lines }
}
