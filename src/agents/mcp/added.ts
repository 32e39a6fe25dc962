import type { ToolAnnotations } from '@modelcontextprotocol/server'
import { ADDED_TOOLS, type AddedToolName, isAddedTool, type ToolArguments, toolCatalogue } from '../../hooks/index.js'
import { type McpTool, READS, STAGES, text } from './tool.js'

const catalogue = toolCatalogue()

/** Only `revert_staged_changes` is destructive: it drops staged changes, including a reviewer's edits. */
const ANNOTATIONS: Readonly<Record<AddedToolName, ToolAnnotations>> = {
  select_active_intent: { ...STAGES, idempotentHint: true },
  list_intents: READS,
  request_scope_expansion: { ...STAGES, idempotentHint: false },
  record_lesson: { ...STAGES, idempotentHint: false },
  show_staged_changes: READS,
  run_checks: { ...READS, idempotentHint: false },
  revert_staged_changes: { ...STAGES, destructiveHint: true, idempotentHint: true },
  travel_to_snapshot: { ...STAGES, idempotentHint: false },
}

/** The tools that escrowfs adds to every host. */
export const ADDED_MCP_TOOLS: readonly McpTool[] = Object.keys(ADDED_TOOLS)
  .filter(isAddedTool)
  .map((name) => {
    const { description, schema, run } = ADDED_TOOLS[name]
    const { class: of, kind, free } = catalogue.of(name)
    return {
      name,
      title: titleOf(name),
      description,
      schema,
      annotations: ANNOTATIONS[name],
      plan: async (args, session, { signal }) => {
        const toolArguments: ToolArguments = schema.parse(args)
        return {
          class: of,
          kind,
          ...(free && { free }),
          run: async () => text(await run(session, toolArguments, signal)),
        }
      },
    }
  })

function titleOf(name: string): string {
  return name.replace(/(^|_)(.)/g, (_, gap: string, letter: string) => (gap && ' ') + letter.toUpperCase())
}
