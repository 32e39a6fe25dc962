import { type Layout, ORCHESTRATION } from '../core/layout.js'
import { cachedFile } from '../host/cached-file.js'
import { describeProblem, MAX_YAML_BYTES } from '../host/yaml.js'
import { type PolicyRules, readPolicy } from './policy-read.js'

/** What policy.yaml says now. `version` rises with each change of the file. */
export type PolicyState =
  | { readonly ok: true; readonly version: number; readonly rules: PolicyRules }
  | {
      readonly ok: false
      readonly version: number
      /** Relative to the root. */
      readonly file: string
      readonly line: number
      readonly column: number
      /** File, place, what is wrong and what to do; a whole sentence. */
      readonly message: string
      /** What reads are judged by meanwhile; without it they are refused, as nobody can say what is secret. */
      readonly readRules?: PolicyRules
    }

export const POLICY_FILE = `${ORCHESTRATION}/policy.yaml`

/**
 * `.orchestration/policy.yaml`, read anew whenever it changes. No file: no rules. The function it gives is synchronous,
 * costs one `stat` while the file does not change, and never throws: what is wrong with the file is in the state.
 */
export function openPolicyFile(layout: Layout): () => PolicyState {
  let lastGood: PolicyRules | undefined
  return cachedFile(layout.policyFile, MAX_YAML_BYTES, (file, version): PolicyState => {
    const { problem, rules } = readPolicy(layout.root, file)
    const readRules = rules ?? lastGood
    if (!problem && rules) {
      lastGood = rules
      return { ok: true, version, rules }
    }
    const { line, column, message } = problem ?? { line: 1, column: 1, message: 'it cannot be understood' }
    const sentence = describeProblem(POLICY_FILE, { line, column, message })
    return { ok: false, version, file: POLICY_FILE, line, column, message: sentence, ...(readRules && { readRules }) }
  })
}
