import { cpSync, mkdirSync } from 'node:fs'
import { makeFiles } from '../places.js'
import { declareIntent } from '../workspace.js'
import type { Ground } from './subjects.js'

/** What lies below the layers when the suite starts. */

export const DIRS = {
  small: 'src/app/small',
  /** Nothing is staged in here. */
  untouched: 'src/app/wide',
  /** Half of what it lists later is staged. */
  merged: 'src/app/half',
} as const

export const SIZES = {
  tiny: { title: '100 B', bytes: 100, files: 256, dir: 'src/app/tiny' },
  small: { title: '4 KB', bytes: 4_096, files: 256, dir: DIRS.small },
  large: { title: '1 MB', bytes: 1 << 20, files: 8, dir: 'src/app/large' },
} as const

export const LISTED = 200

/** Each of these is written once. */
export const TOUCHED = { dir: 'src/touched', files: 10_000, perDir: 100 } as const

export function layGround(base: string): Ground {
  const ground: Ground = { lower: `${base}/workspace`, raw: `${base}/node-fs`, spare: `${base}/spare` }
  mkdirSync(ground.spare)
  for (const { dir, files, bytes } of Object.values(SIZES)) makeFiles(`${ground.lower}/${dir}`, files, bytes)
  makeFiles(`${ground.lower}/${DIRS.untouched}`, LISTED, 100)
  makeFiles(`${ground.lower}/${DIRS.merged}`, LISTED / 2, 100)
  makeFiles(`${ground.lower}/${TOUCHED.dir}`, TOUCHED.files, SIZES.small.bytes, TOUCHED.perDir)
  cpSync(ground.lower, ground.raw, { recursive: true })
  declareIntent(ground.lower)
  return ground
}
