import type { Session } from '../../src/core/api.js'
import { DENIAL_CODES, type DenialReason } from '../../src/core/denials.js'
import { standardHooks } from '../../src/hooks/standard-hooks.js'
import type { HookPayload, ToolHook } from '../../src/hooks/types.js'
import { code, fence, table } from './markdown.js'
import { ONE_INTENT, withScratchWorkspace } from './scratch.js'

/** The default hook chain of an engine, found by running each hook. */

const REASONS = Object.keys(DENIAL_CODES).filter((name): name is DenialReason => name in DENIAL_CODES)

function nameOf(hook: ToolHook): string {
  return hook.constructor.name
}

/** The policy reasons for which a hook refuses a write. */
async function refusalsOf(hook: ToolHook, session: Session): Promise<DenialReason[]> {
  const found: DenialReason[] = []
  for (const reason of REASONS) {
    const error = await hook.preExecute('write_to_file', payloadOf(reason, session))
    if (error) found.push(reason)
  }
  return found
}

function payloadOf(reason: DenialReason, session: Session): HookPayload {
  return {
    ...{ taskId: 'it', cwd: '.', toolName: 'write_to_file', timestamp: '', activeIntentId: session.intent?.id },
    ...{ params: { path: 'src/a.js' }, classification: 'DESTRUCTIVE', targets: ['src/a.js'], session },
    judge: async () => ({ reason, message: '' }),
    handle() {},
    contentHash: undefined,
  }
}

export function chainTable(): Promise<string> {
  return withScratchWorkspace({ '.orchestration/active_intents.yaml': ONE_INTENT }, async (workspace) => {
    const session = await workspace.session({ id: 'it' })
    await session.selectIntent('INT-001')
    const { pre, post } = standardHooks()
    const covered = new Set<DenialReason>()
    const rows: string[][] = []
    for (const hook of pre) {
      const reasons = await refusalsOf(hook, session)
      for (const reason of reasons) covered.add(reason)
      rows.push(['before', code(nameOf(hook)), hook.classification ?? 'all', reasons.map(code).join(', ')])
    }
    const others = REASONS.filter((reason) => !covered.has(reason))
    rows.push(['before', 'the engine, after its hooks', 'all', others.map(code).join(', ')])
    for (const hook of post)
      rows.push(['after', code(nameOf(hook)), hook.classification ?? 'all', 'nothing: it only records'])
    return table(['when', 'hook', 'asked about', 'refuses a write for'], rows)
  })
}

export function chainDiagram(): string {
  const { pre, post } = standardHooks()
  const names = (hooks: readonly ToolHook[], letter: string) =>
    hooks.map((hook, at) => `${letter}${at}[${nameOf(hook)}]`)
  const before = names(pre, 'b')
  const after = names(post, 'a')
  const idOf = (node = '') => node.slice(0, node.indexOf('['))
  const lines = [
    'flowchart TD',
    `  call([a tool call]) --> ${before[0]}`,
    ...before.slice(1).map((node, at) => `  ${idOf(before[at])} -- no error --> ${node}`),
    `  ${idOf(before.at(-1))} -- no error --> judge[policy, for the rest]`,
    ...before.map((node) => `  ${idOf(node)} -- an error --> refused`),
    '  judge -- a denial --> refused([refused: the tool does not run])',
    '  judge -- nothing --> tool([the tool runs, through session.fs])',
    `  tool --> ${after[0]}`,
    `  refused --> ${idOf(after[0])}`,
    ...after.slice(1).map((node, at) => `  ${idOf(after[at])} --> ${node}`),
    `  ${idOf(after.at(-1))} --> answer([the answer, with reviewers' messages])`,
  ]
  return fence('mermaid', lines.join('\n'))
}
