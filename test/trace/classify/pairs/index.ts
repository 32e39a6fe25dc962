import { go } from './go.js'
import type { Pair } from './pair.js'

export const PAIRS: readonly Pair[] = [...go]
