import fs from 'node:fs'
import { join } from 'node:path'
import { installOnce } from '../../test/support/npm-install.js'
import { PEERS } from './guards.js'

/** A real package with a command of its developers, or of those who use it. The workspace is a copy of the package. */
export interface PackageTask {
  readonly name: string
  readonly line: string
}

/** The packages that are built and tested, and the tools for it, with their versions. Each machine has them in `/node_modules`. */
const VERSIONS = [
  'minimist@1.2.8',
  'deep-equal@2.2.3',
  'has-symbols@1.1.0',
  'zod@4.6.7',
  'tape@5.9.0',
  'typescript@6.0.3',
  'rollup@4.68.7',
]

const BIN = '/node_modules/.bin'
const TSC = `${BIN}/tsc --ignoreConfig --module nodenext --target es2022 --declaration --skipLibCheck --outDir build`

export const PACKAGE_TASKS: readonly PackageTask[] = [
  { name: 'minimist', line: `${BIN}/tape 'test/*.js' > result.txt` },
  { name: 'deep-equal', line: `${BIN}/tape 'test/*.js' > result.txt` },
  { name: 'has-symbols', line: `${BIN}/tape 'test/index.js' > result.txt` },
  { name: 'zod', line: `${TSC} src/v4/core/index.ts src/v4/mini/index.ts && ls build | wc -l > count.txt` },
  {
    name: 'zod',
    line: `${BIN}/rollup --silent --format es --file bundle.js index.js && node -e "import('./bundle.js')"`,
  },
  {
    name: 'zod',
    line: "find . -name '*.d.cts' -delete && grep -rl unknown v4/core | xargs sed -i 's/unknown/Unknown/g'",
  },
]

/** Installs them. Returns the reason if that is impossible. */
export function installPackages(): string | undefined {
  try {
    installOnce(join(PEERS, 'packages'), VERSIONS, 'node_modules/rollup/package.json')
    return undefined
  } catch (error) {
    return String(error)
  }
}

/** Makes a workspace of a package. */
export function copyPackage(name: string, to: string): void {
  fs.cpSync(join(PEERS, 'packages/node_modules', name), to, { recursive: true })
}
