import type { AttackClass } from './row.js'
import { descriptors } from './rows/descriptors.js'
import { links } from './rows/links.js'
import { moments } from './rows/moments.js'
import { specialFiles } from './rows/special.js'
import { spelling } from './rows/spelling.js'
import { trees } from './rows/trees.js'
import { tricks } from './rows/tricks.js'

/** Every attack we know of, by class. What hidden paths tell is in `rows/tells.ts`, what must work in `rows/legitimate.ts`. */
export const ATTACKS: readonly AttackClass[] = [
  ...spelling,
  ...links,
  ...descriptors,
  ...trees,
  ...moments,
  ...specialFiles,
  ...tricks,
]
