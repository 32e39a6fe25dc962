import { errorText } from '../core/error-text.js'
import { type Layout, ORCHESTRATION } from '../core/layout.js'
import { openAccepted } from '../os/accepted-files.js'
import { cachedFile, type FileBytes } from '../os/cached-file.js'
import { describeProblem, MAX_YAML_BYTES } from '../os/yaml-problem.js'
import { type PolicyRules, readPolicy } from './policy-read.js'
import { stricterRules } from './stricter.js'

/** The current content of policy.yaml. `version` increases with each change of the file. */
export type PolicyState =
  | { readonly ok: true; readonly version: number; readonly rules: PolicyRules }
  | {
      readonly ok: false
      readonly version: number
      /** Relative to the root. */
      readonly file: string
      readonly line: number
      readonly column: number
      /** A sentence with the file, the position, the problem and the remedy. */
      readonly message: string
      /** The rules that reads use meanwhile. Without them reads are refused, because secrets are unknown. */
      readonly readRules?: PolicyRules
    }

export const POLICY_FILE = `${ORCHESTRATION}/policy.yaml`

/**
 * Opens `.orchestration/policy.yaml` as it applies on this machine: while it differs from what a person has accepted, the stricter of
 * both. An absent file has no rules. The returned function is synchronous, costs two `lstat` while nothing changes, and never throws:
 * problems of the file are in the state.
 */
export function openPolicyFile(layout: Layout): () => PolicyState {
  const file = openFile(layout)
  const accepted = openAcceptedRules(layout)
  let last: { readonly file: PolicyState; readonly accepted: Accepted; readonly state: PolicyState } | undefined
  let version = 0
  return () => {
    const now = { file: file(), accepted: accepted() }
    if (last?.file === now.file && last.accepted === now.accepted) return last.state
    version += 1
    last = { ...now, state: { ...stateBy(now.file, now.accepted), version } }
    return last.state
  }
}

/** The accepted rules with their text, or the problem with them. */
type Accepted = { readonly text: string | undefined } & ({ readonly rules: PolicyRules } | { readonly problem: string })

function stateBy(file: PolicyState & { readonly text?: string }, accepted: Accepted): PolicyState {
  if (file.text === accepted.text && (file.text !== undefined || 'rules' in accepted)) return file
  if ('problem' in accepted) {
    const { version } = file
    const problem = file.ok ? { line: 1, column: 1, message: accepted.problem } : file
    const { line, column, message } = problem
    return { ok: false, version, file: POLICY_FILE, line, column, message }
  }
  if (file.ok) return { ...file, rules: stricterRules(file.rules, accepted.rules) }
  return file.readRules ? { ...file, readRules: stricterRules(file.readRules, accepted.rules) } : file
}

/** The accepted policy.yaml, parsed again after each acceptance. */
function openAcceptedRules(layout: Layout): () => Accepted {
  const accepted = openAccepted(layout)
  let last: { readonly files: unknown; readonly value: Accepted } | undefined
  return () => {
    let files: ReturnType<typeof accepted>
    try {
      files = accepted()
    } catch (error) {
      return { text: undefined, problem: errorText(error) }
    }
    if (last?.files === files) return last.value
    const text = files.texts.get(POLICY_FILE)
    last = {
      files,
      value: last && 'rules' in last.value && last.value.text === text ? last.value : rulesOf(layout, text),
    }
    return last.value
  }
}

function rulesOf({ root }: Layout, text: string | undefined): Accepted {
  const { rules, problem } = readPolicy(root, bytesOf(text))
  if (rules && !problem) return { text, rules }
  return {
    text,
    problem: `This version cannot read the accepted ${POLICY_FILE}. Accept it again: 'escrow trust'.`,
  }
}

function bytesOf(text: string | undefined): FileBytes {
  return text === undefined ? { kind: 'absent' } : { kind: 'bytes', bytes: Buffer.from(text) }
}

/** The file on disk, with its text. */
function openFile(layout: Layout): () => PolicyState & { readonly text?: string } {
  let lastGood: PolicyRules | undefined
  return cachedFile(layout.policyFile, MAX_YAML_BYTES, (file, version): PolicyState & { readonly text?: string } => {
    const { problem, rules } = readPolicy(layout.root, file)
    const text = file.kind === 'bytes' ? { text: file.bytes.toString() } : {}
    const readRules = rules ?? lastGood
    if (!problem && rules) {
      lastGood = rules
      return { ok: true, version, rules, ...text }
    }
    const { line, column, message } = problem ?? { line: 1, column: 1, message: 'it cannot be parsed' }
    const sentence = describeProblem(POLICY_FILE, { line, column, message })
    return {
      ok: false,
      version,
      file: POLICY_FILE,
      line,
      column,
      message: sentence,
      ...(readRules && { readRules }),
      ...text,
    }
  })
}

/** Describes the problem with a text of policy.yaml in a sentence; undefined for a valid text. */
export function policyProblem(root: string, text: string): string | undefined {
  const { problem } = readPolicy(root, { kind: 'bytes', bytes: Buffer.from(text) })
  return problem && describeProblem(POLICY_FILE, problem)
}
