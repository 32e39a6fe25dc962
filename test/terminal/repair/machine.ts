import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { onTestFinished } from 'vitest'
import { type Machine, thisMachine } from '../../../src/terminal/repair/machine.js'
import { tempDir } from '../../support/facade.js'

export interface TestMachine extends Machine {
  /** The command lines that its programs were started with, in order. */
  calls(): string[]
}

interface Given {
  readonly uid?: number
  readonly kernel?: string
  readonly platform?: NodeJS.Platform
  readonly files?: Readonly<Record<string, string>>
  /** Programs, each with its exit code. */
  readonly programs?: Readonly<Record<string, number>>
}

/**
 * A machine in a directory. Its programs are real scripts that record their command line; sudo and doas start theirs.
 */
export function machineOf({
  uid = 1000,
  kernel = '6.8.0-45-generic',
  platform = 'linux',
  ...given
}: Given): TestMachine {
  const { path: root, dispose } = tempDir()
  onTestFinished(dispose)
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(`${root}${path}`), { recursive: true })
    writeFileSync(`${root}${path}`, text)
  }
  for (const [path, text] of Object.entries(given.files ?? {})) write(path, text)
  for (const [name, code] of Object.entries(given.programs ?? {})) {
    const next =
      name === 'sudo' || name === 'doas' ? `program=$1; shift; "${root}/usr/bin/$program" "$@"` : `exit ${code}`
    write(`/usr/bin/${name}`, `#!/bin/sh\necho "${name} $*" >> '${root}/calls'\n${next}\n`)
    chmodSync(`${root}/usr/bin/${name}`, 0o755)
  }
  const calls = () => (existsSync(`${root}/calls`) ? readFileSync(`${root}/calls`, 'utf8').trimEnd().split('\n') : [])
  return Object.assign(thisMachine(root, { uid, kernel, platform }), { calls })
}
