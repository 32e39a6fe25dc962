import { CLASSIFIER, type KnownClasses } from '../change-class/index.js'
import type { Layout } from '../core/layout.js'
import type { Measured } from '../core/mutation.js'
import { type FileFindings, fileFindings, RULES } from '../risk/index.js'
import { measured } from './class-schema.js'
import { ResultCache, type ResultFormat } from './result-cache.js'

/**
 * The caches of a workspace, one in this process for each file: classes of changes, which a review measures and the
 * commit after it looks up, and findings about files, which make up the facts of a review.
 */

/** Findings about one file, by a key of both its contents. */
export interface KnownFindings {
  get(key: string): FileFindings | undefined
  set(key: string, found: FileFindings): void
}

const CLASSES: ResultFormat<Measured> = {
  version: CLASSIFIER,
  parse: (value) => measured.safeParse(value).data,
}
const FINDINGS: ResultFormat<FileFindings> = { version: RULES, parse: (value) => fileFindings.safeParse(value).data }

/** Reads a cache of classes from its file. {@link classCache} shares one in a process. */
export function openClassCache(file: string): KnownClasses {
  return new ResultCache(file, CLASSES)
}

const classes = new Map<string, KnownClasses>()
const findings = new Map<string, KnownFindings>()

export function classCache(layout: Layout): KnownClasses {
  return getOrMake(classes, layout.classes, openClassCache)
}

export function findingsCache(layout: Layout): KnownFindings {
  return getOrMake(findings, layout.findings, (file) => new ResultCache(file, FINDINGS))
}

function getOrMake<T>(opened: Map<string, T>, file: string, make: (file: string) => T): T {
  const known = opened.get(file)
  if (known !== undefined) return known
  const made = make(file)
  opened.set(file, made)
  return made
}
