import { readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import type { ReplayRules } from '../backtest/index.js'
import { EscrowError } from '../index.js'
import { codeOf } from '../surface/index.js'
import { NoWorkspace } from './context.js'

/** The texts of the named files, else those of the workspace. */
export function rulesFor(
  cwd: string,
  { policy, intents }: { readonly policy?: string; readonly intents?: string },
  root: () => string,
): ReplayRules {
  const workspace = workspaceAt(root)
  const orchestrationFile = (name: string) =>
    workspace === undefined ? undefined : join(workspace, '.orchestration', name)
  const [policyFile, intentsFile] = [resolveFile(cwd, policy), resolveFile(cwd, intents)]
  return {
    policy: policyFile === undefined ? textAt(orchestrationFile('policy.yaml')) : requiredText(policyFile),
    intents: intentsFile === undefined ? textAt(orchestrationFile('active_intents.yaml')) : requiredText(intentsFile),
    names: {
      policy: relative(cwd, policyFile ?? orchestrationFile('policy.yaml') ?? '') || 'policy.yaml',
      intents: relative(cwd, intentsFile ?? orchestrationFile('active_intents.yaml') ?? '') || 'active_intents.yaml',
    },
  }
}

const resolveFile = (cwd: string, file: string | undefined) => (file === undefined ? undefined : resolve(cwd, file))

export function workspaceAt(root: () => string): string | undefined {
  try {
    return root()
  } catch (error) {
    if (error instanceof NoWorkspace) return undefined
    throw error
  }
}

function requiredText(file: string): string {
  const text = textAt(file)
  if (text !== undefined) return text
  throw new EscrowError('unsupported', `${file} does not exist.`, { hint: 'Name a file of rules.' })
}

function textAt(file: string | undefined): string | undefined {
  try {
    return file === undefined ? undefined : readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}
