import { readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { Attempt, ContainmentName } from '../core/protection.js'
import { personalState } from '../os/personal-state.js'
import { ensurePrivateDir, replaceDurable } from '../os/write.js'
import { hasCopyParent } from './scratch-places.js'

/**
 * Which providers have run a command on this machine, kept in the state directory, which no contained command sees. A
 * record is valid only under the conditions of its attempt. A forged or outdated record opens nothing: a provider that
 * does not work starts no command.
 */

type Attempts = Readonly<Partial<Record<ContainmentName, Attempt>>>

interface AttemptsRecord {
  readonly version: 1
  readonly key: string
  readonly attempts: Attempts
}

/** The result of an earlier attempt under the same conditions. */
export function recallAttempt(name: ContainmentName): Attempt | undefined {
  const found = readRecorded()[name]
  return isAttempt(found) ? found : undefined
}

/** Keeps the result, unless the failure may be gone at the next attempt: something was installed, or a shortage is over. */
export function rememberAttempt(name: ContainmentName, result: Attempt): void {
  if (result.works) write({ ...readRecorded(), [name]: { works: true } })
  else if (result.failure.isInstall || result.failure.isShortage) forgetAttempt(name)
  else {
    const { what, problem, fix } = result.failure
    write({ ...readRecorded(), [name]: { works: false, failure: { what, problem, fix } } })
  }
}

export function forgetAttempt(name: ContainmentName): void {
  const { [name]: known, ...others } = readRecorded()
  if (known !== undefined) write(others)
}

function readRecorded(): Attempts {
  try {
    const found: AttemptsRecord = JSON.parse(readFileSync(recordFile(), 'utf8'))
    return found.version === 1 && found.key === conditions() ? found.attempts : {}
  } catch {
    return {}
  }
}

/** A record may be damaged. */
function isAttempt(found: Attempt | undefined): boolean {
  if (found?.works !== false) return found?.works === true
  const { what, problem, fix } = found.failure ?? {}
  return [what, problem, fix].every((each) => typeof each === 'string')
}

/** Without a place for the record, each process tries by itself. */
function write(attempts: Attempts): void {
  try {
    const file = recordFile()
    ensurePrivateDir(personalState())
    replaceDurable(file, JSON.stringify({ version: 1, key: conditions(), attempts } satisfies AttemptsRecord), 0o600)
  } catch {
    // The attempt is repeated.
  }
}

function recordFile(): string {
  return join(personalState(), 'containment.json')
}

/** Settings that open or close namespaces, and change without a new boot. */
const SETTINGS = [
  '/proc/sys/user/max_user_namespaces',
  '/proc/sys/kernel/unprivileged_userns_clone',
  '/proc/sys/kernel/apparmor_restrict_unprivileged_userns',
  '/proc/self/attr/current',
]

/**
 * The boot, the namespaces, user and limits of this process, the kernel's settings, where programs come from, and whether copies have a
 * place.
 */
function conditions(): string {
  const texts = ['/proc/sys/kernel/random/boot_id', ...SETTINGS].map((path) =>
    readOrUnknown(() => readFileSync(path, 'utf8')),
  )
  const spaces = ['mnt', 'user', 'pid'].map((each) => readOrUnknown(() => readlinkSync(`/proc/self/ns/${each}`)))
  const filters = readOrUnknown(
    () => /^Seccomp_filters:.*$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[0] ?? '',
  )
  const us = [process.getuid?.(), process.execPath, hasCopyParent(), FORMAT]
  return [...texts.map((text) => text.trim()), ...spaces, filters, ...us].join(' ')
}

/** Changes with what providers do, so that a new version tries them again. */
const FORMAT = 1

function readOrUnknown(read: () => string): string {
  try {
    return read()
  } catch {
    return ''
  }
}
