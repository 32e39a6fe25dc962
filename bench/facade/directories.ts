import { cpSync, mkdirSync } from 'node:fs'
import { makeFiles } from '../places.js'
import { declareIntent } from '../workspace.js'
import type { Directories } from './subjects.js'

/** The files on disk when the suite starts. */

export const DIRS = {
  small: 'src/app/small',
  /** A directory without staged files. */
  untouched: 'src/app/wide',
  /** A directory in which half of the files are staged later. */
  merged: 'src/app/half',
} as const

export const SIZES = {
  tiny: { title: '100 B', bytes: 100, files: 256, dir: 'src/app/tiny' },
  small: { title: '4 KB', bytes: 4_096, files: 256, dir: DIRS.small },
  large: { title: '1 MB', bytes: 1 << 20, files: 8, dir: 'src/app/large' },
} as const

export const LISTED = 200

/** Files that are written once each. */
export const TOUCHED = { dir: 'src/touched', files: 10_000, perDir: 100 } as const

export function createDirectories(base: string): Directories {
  const directories: Directories = { lower: `${base}/workspace`, raw: `${base}/node-fs`, spare: `${base}/spare` }
  mkdirSync(directories.spare)
  for (const { dir, files, bytes } of Object.values(SIZES)) makeFiles(`${directories.lower}/${dir}`, files, bytes)
  makeFiles(`${directories.lower}/${DIRS.untouched}`, LISTED, 100)
  makeFiles(`${directories.lower}/${DIRS.merged}`, LISTED / 2, 100)
  makeFiles(`${directories.lower}/${TOUCHED.dir}`, TOUCHED.files, SIZES.small.bytes, TOUCHED.perDir)
  cpSync(directories.lower, directories.raw, { recursive: true })
  declareIntent(directories.lower)
  return directories
}
