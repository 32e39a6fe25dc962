import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { acceptTexts, openAccepted } from '../host/accepted-files.js'
import { cachedFile } from '../host/cached-file.js'
import { withProcessLock } from '../host/lock.js'
import { createShared, replaceShared } from '../host/shared-files.js'
import { MAX_YAML_BYTES } from '../host/yaml.js'
import { POLICY_FILE } from './policy-file.js'
import { type PolicyRules, readPolicy } from './policy-read.js'

export interface PolicyEdit {
  /** What is changed where there is no file. */
  readonly empty: string
  /** Throws where the edit may not be made. */
  readonly before?: (rules: PolicyRules | undefined) => void
  /** Undefined: the text stays. */
  readonly change: (text: string) => string | undefined
  /** Throws where the edit would not do what it is for. */
  readonly after?: (rules: PolicyRules) => void
}

/**
 * Writes an answer of a person's into policy.yaml, under a lock of its own.
 * @throws EscrowError policy_invalid for a file that cannot be read, before or after.
 */
export async function editPolicy(layout: Layout, { empty, before, change, after }: PolicyEdit): Promise<void> {
  await withProcessLock(layout.locks, 'policy', () => {
    const file = cachedFile(layout.policyFile, MAX_YAML_BYTES, (bytes) => bytes)()
    const text = file.kind === 'bytes' ? file.bytes.toString() : empty
    const now = readPolicy(layout.root, file)
    if (now.problem) throw unwritable(`${POLICY_FILE}, line ${now.problem.line}: ${now.problem.message}`)
    before?.(now.rules)
    const applyChange = (from: string): string => {
      const written = change(from) ?? from
      const { rules, problem: wrong } = readPolicy(layout.root, { kind: 'bytes', bytes: Buffer.from(written) })
      if (!rules || wrong) throw unwritable(wrong?.message ?? 'it could not be read any more')
      after?.(rules)
      return written
    }
    const written = applyChange(text)
    const accepted = openAccepted(layout)().texts.get(POLICY_FILE)
    // The same edit of what is accepted: what else of the file waits goes on waiting.
    const isSame = file.kind === 'absent' ? accepted === undefined : accepted === text
    acceptTexts(layout, new Map([[POLICY_FILE, isSame ? written : applyChange(accepted ?? empty)]]))
    if (file.kind === 'absent') createShared(layout.policyFile, written)
    else replaceShared(layout.policyFile, written)
  })
}

function unwritable(why: string): EscrowError {
  return new EscrowError('policy_invalid', `The answer cannot be remembered: ${why}.`, {
    hint: `Correct ${POLICY_FILE}, or answer without remembering.`,
  })
}
