import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { CACHE, installOnce } from '../support/npm-install.js'

/** The tested libraries with their versions. */
const VERSIONS = {
  'fs-extra': '11.4.1',
  'graceful-fs': '4.2.12',
  glob: '14.0.6',
  tar: '7.5.23',
  'isomorphic-git': '1.44.17',
  webpack: '5.112.2',
  rollup: '4.68.7',
  esbuild: '0.28.2',
  '@sigstore/verify': '3.1.1',
  '@sigstore/bundle': '4.0.0',
} as const

/** The directory of the installed libraries, which depends on the versions. */
export function installLibraries(): string {
  const packages = Object.entries(VERSIONS).map(([name, version]) => `${name}@${version}`)
  const dir = join(CACHE, 'libraries', createHash('sha256').update(packages.join()).digest('hex').slice(0, 12))
  installOnce(dir, packages, join('node_modules', 'esbuild', 'package.json'))
  return dir
}

/** Installs the libraries before the suite. */
export function setup(): void {
  installLibraries()
}
