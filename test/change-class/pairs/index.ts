import { cpp, csharp, java, rust } from './compiled.js'
import { formatting } from './formatting.js'
import { go } from './go.js'
import type { Pair } from './pair.js'
import { python } from './python.js'
import { bash, css, json, php, ruby, yaml } from './scripts.js'
import { javascript, tsx, typescript } from './typescript.js'

/** Labelled changes of files in fifteen languages. */
export const PAIRS: readonly Pair[] = [
  ...[...typescript, ...tsx, ...javascript, ...python, ...go, ...rust, ...java, ...csharp, ...cpp],
  ...[...ruby, ...php, ...bash, ...css, ...json, ...yaml, ...formatting],
]
