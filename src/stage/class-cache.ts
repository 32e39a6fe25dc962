import { CLASSIFIER, type KnownClasses } from '../change-class/index.js'
import type { Layout } from '../core/layout.js'
import type { Measured } from '../core/mutation.js'
import { measured } from './class-schema.js'
import { oncePerFile, ResultCache } from './result-cache.js'

/** Reads a cache of classes from its file. {@link classCache} shares one in a process. */
export function openClassCache(file: string): KnownClasses {
  return new ResultCache<Measured>(file, { version: CLASSIFIER, parse: (value) => measured.safeParse(value).data })
}

const openOnce = oncePerFile(openClassCache)

/** The one cache of classes of a workspace in this process. A review measures them, and the commit after it looks them up. */
export function classCache({ classes }: Layout): KnownClasses {
  return openOnce(classes)
}
