import type { AttackClass } from './row.js'
import { descriptors } from './rows/descriptors.js'
import { links } from './rows/links.js'
import { moments } from './rows/moments.js'
import { specialFiles } from './rows/special.js'
import { spelling } from './rows/spelling.js'
import { trees } from './rows/trees.js'
import { tricks } from './rows/tricks.js'

/**
 * Every known attack, by class. `rows/disclosures.ts` has questions about hidden paths, `rows/legitimate.ts` the work
 * that must succeed.
 */
export const ATTACKS: readonly AttackClass[] = [
  ...spelling,
  ...links,
  ...descriptors,
  ...trees,
  ...moments,
  ...specialFiles,
  ...tricks,
]
