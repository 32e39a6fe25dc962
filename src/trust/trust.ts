import { codeOf, sha256hex } from '../../overlay/index.js'
import { EscrowError } from '../core/api-error.js'
import { defined } from '../core/defined.js'
import type { Layout, SharedFile } from '../core/layout.js'
import type { TrustChange, TrustReport } from '../core/trust-api.js'
import { templateFiles } from '../intents/index.js'
import { type AcceptedFiles, acceptTexts, openAccepted } from '../os/accepted-files.js'
import { readShared } from '../os/shared-files.js'
import { MAX_YAML_BYTES } from '../os/yaml-problem.js'
import { policyProblem } from '../policy/index.js'
import { ignoreChanges, intentChanges, intentsProblem, policyChanges, templateChanges } from './changes.js'

/**
 * Compares the files with their accepted texts.
 * @throws EscrowError `path_escape` for a link or a special file in the place of one of them.
 */
export function compareFiles(layout: Layout): TrustReport {
  const accepted = readAccepted(layout)
  const now = readTexts(layout)
  const names = [...new Set([...now.keys(), ...accepted.texts.keys()])].sort()
  const files = names
    .map((file) => ({ file, accepted: accepted.texts.get(file), now: now.get(file) }))
    .filter((each) => each.accepted !== each.now)
  const changes = files.flatMap(({ file, accepted: before, now: after }) => compareFile(layout, file, before, after))
  return {
    digest: digestOf(now),
    waiting: changes.some(({ effect }) => effect !== 'tightens'),
    changes,
    files,
    ...defined({ acceptedAt: accepted.at }),
    ...(accepted.by !== undefined && { acceptedBy: accepted.by.name }),
  }
}

/**
 * Accepts all files as they are.
 * @param digest the digest of the files that the person was shown.
 * @param assertOurs throws if another process may have accepted files since
 * @throws EscrowError `stale_file` if the files have changed since.
 */
export function acceptFiles(
  layout: Layout,
  digest: string,
  by: { readonly name: string; readonly email?: string | undefined },
  assertOurs: () => void = () => undefined,
): void {
  const now = readTexts(layout)
  if (digestOf(now) !== digest)
    throw new EscrowError('stale_file', 'The files changed after they were shown. Nothing was accepted.', {
      hint: "Look at them again: 'escrow trust'.",
    })
  assertReadable(layout, now)
  const removed = [...readAccepted(layout).texts.keys()].filter((name) => !now.has(name))
  assertOurs()
  acceptTexts(layout, new Map([...now, ...removed.map((name) => [name, undefined] as const)]), by)
}

/** An unreadable file cannot be accepted: it denies all writes until it is corrected. */
function assertReadable(layout: Layout, now: ReadonlyMap<string, string>): void {
  const policy = now.get(layout.policyFile.name)
  const intents = now.get(layout.intentsFile.name)
  const problem =
    (policy === undefined ? undefined : policyProblem(layout.root, policy)) ??
    (intents === undefined ? undefined : intentsProblem(intents))
  if (problem !== undefined)
    throw new EscrowError('policy_invalid', problem, { hint: "Correct it, then accept it with 'escrow trust'." })
}

/** An unreadable record accepts nothing: all files are shown. */
function readAccepted(layout: Layout): AcceptedFiles {
  try {
    return openAccepted(layout)()
  } catch (error) {
    if (error instanceof EscrowError) return { texts: new Map() }
    throw error
  }
}

/** Reads every file that determines what agents may do, by name. */
function readTexts(layout: Layout): Map<string, string> {
  const files = [layout.policyFile, layout.intentsFile, ...layout.ignoreFiles, ...templateFiles(layout)]
  return new Map(files.flatMap((file) => readText(file)))
}

function readText(file: SharedFile): [string, string][] {
  try {
    return [[file.name, readShared(file, MAX_YAML_BYTES).toString()]]
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return []
    if (codeOf(error) !== 'EFBIG') throw error
    throw new EscrowError('policy_invalid', `${file} is larger than ${MAX_YAML_BYTES / 1024} KiB.`, {
      hint: "Make it smaller, then accept it with 'escrow trust'.",
    })
  }
}

function digestOf(texts: ReadonlyMap<string, string>): string {
  const lines = [...texts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, text]) => `${sha256hex(text)}  ${name}\n`)
  return `sha256:${sha256hex(lines.join(''))}`
}

function compareFile(
  layout: Layout,
  file: string,
  before: string | undefined,
  after: string | undefined,
): TrustChange[] {
  const changes =
    file === layout.policyFile.name
      ? policyChanges(before, after)
      : file === layout.intentsFile.name
        ? intentChanges(before, after)
        : layout.ignoreFiles.some(({ name }) => name === file)
          ? ignoreChanges(before, after)
          : templateChanges(before, after)
  return changes.map((change) => ({ file, ...change }))
}
