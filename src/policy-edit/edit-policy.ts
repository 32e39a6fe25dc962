import { EscrowError } from '../core/api-error.js'
import type { Layout } from '../core/layout.js'
import { acceptAndWrite, openAccepted } from '../os/accepted-files.js'
import { cachedFile } from '../os/cached-file.js'
import { assertHeld, withProcessLock } from '../os/lock.js'
import { createShared, replaceShared } from '../os/shared-files.js'
import { MAX_YAML_BYTES } from '../os/yaml-problem.js'
import { POLICY_FILE, type PolicyRules, readPolicy } from '../policy/index.js'

export interface PolicyEdit {
  /** The text to edit if there is no file. */
  readonly empty: string
  /** Checks the rules before the edit; throws to refuse it. */
  readonly before?: (rules: PolicyRules | undefined) => void
  /** Returns the new text, or undefined to leave it unchanged. */
  readonly change: (text: string) => string | undefined
  /** Checks the rules of the new text; throws if the edit would have no effect. */
  readonly after?: (rules: PolicyRules) => void
}

/**
 * Edits policy.yaml and its accepted copy under a lock.
 * @throws EscrowError `policy_invalid` if the file cannot be read before or after the edit.
 */
export async function editPolicy(layout: Layout, { empty, before, change, after }: PolicyEdit): Promise<void> {
  await withProcessLock(layout.locks, 'policy', (lost) => {
    const file = cachedFile(layout.policyFile, MAX_YAML_BYTES, (bytes) => bytes)()
    const text = file.kind === 'bytes' ? file.bytes.toString() : empty
    const current = readPolicy(layout.root, file)
    if (current.problem)
      throw cannotSaveRule(`${POLICY_FILE}, line ${current.problem.line}: ${current.problem.message}`)
    before?.(current.rules)
    const applyChange = (from: string): string => {
      const edited = change(from) ?? from
      const { rules, problem: editedProblem } = readPolicy(layout.root, { kind: 'bytes', bytes: Buffer.from(edited) })
      if (!rules || editedProblem) throw cannotSaveRule(editedProblem?.message ?? 'the edited file could not be read')
      after?.(rules)
      return edited
    }
    const newText = applyChange(text)
    const accepted = openAccepted(layout)().texts.get(POLICY_FILE)
    // The accepted copy gets the same edit, so that other unaccepted changes of the file stay unaccepted.
    const isSame = file.kind === 'absent' ? accepted === undefined : accepted === text
    const texts = new Map([[POLICY_FILE, isSame ? newText : applyChange(accepted ?? empty)]])
    assertHeld(lost, POLICY_FILE)
    acceptAndWrite(layout, texts, () =>
      file.kind === 'absent' ? createShared(layout.policyFile, newText) : replaceShared(layout.policyFile, newText),
    )
  })
}

function cannotSaveRule(why: string): EscrowError {
  return new EscrowError('policy_invalid', `The answer cannot be saved as a rule: ${why}.`, {
    hint: `Correct ${POLICY_FILE}, or answer without --remember.`,
  })
}
