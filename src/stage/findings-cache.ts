import type { Layout } from '../core/layout.js'
import { type FileFindings, RULES } from '../risk/index.js'
import { oncePerFile, ResultCache } from './result-cache.js'

/** Findings about one file, by a key of both its contents. The reader checks what it gets. */
export interface StoredFindings {
  get(key: string): unknown
  set(key: string, found: FileFindings): void
}

const openOnce = oncePerFile(
  (file): StoredFindings => new ResultCache(file, { version: RULES, parse: (value: unknown) => value }),
)

/** The one cache of findings of a workspace in this process. The facts of a review are made of them. */
export function findingsCache({ findings }: Layout): StoredFindings {
  return openOnce(findings)
}
