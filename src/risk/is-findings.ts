import { FACTS, type FileFindings } from './facts.js'
import { storedFindings } from './findings-schema.js'

/** Whether a value that a cache stored is findings, each of a fact that this version knows. */
export function isFindings(value: unknown): value is FileFindings {
  return storedFindings.safeParse(value).data?.every(({ name }) => Object.hasOwn(FACTS, name)) ?? false
}
