import { z } from 'zod'
import type { ChangeSet, CheckReport, Session } from '../core/api.js'
import { defined } from '../core/defined.js'
import type { ToolArguments } from './catalogue.js'
import { ToolFailure } from './tool-failure.js'

/** A tool that escrowfs adds to a host: a request of the model to its session. */
export interface AddedTool {
  readonly name: string
  readonly description: string
  readonly schema: z.ZodObject
  /** Returns text for the model. Checks that run end if `signal` aborts. @throws ToolFailure for invalid arguments, and the session's EscrowErrors. */
  run(session: Session, args: ToolArguments, signal?: AbortSignal): Promise<string>
}

function tool<S extends z.ZodObject>(
  name: string,
  description: string,
  schema: S,
  run: (session: Session, args: z.output<S>, signal?: AbortSignal) => Promise<string>,
): AddedTool {
  return {
    name,
    description,
    schema,
    async run(session, args, signal) {
      const checked = schema.safeParse(args)
      if (!checked.success) throw new ToolFailure(`Wrong arguments for ${name}.\n${z.prettifyError(checked.error)}`)
      return run(session, checked.data, signal)
    },
  }
}

const text = (description: string) => z.string().min(1).describe(description)

const selectActiveIntent = tool(
  'select_active_intent',
  'Select the intent that you work for, before you change anything. Returns its scope, constraints and acceptance criteria.',
  z.object({ intent_id: text('The id of a declared intent; null selects none.').nullable() }),
  async (session, { intent_id }) => (await session.selectIntent(intent_id)).xml,
)

const listIntents = tool(
  'list_intents',
  'List the intents that can be selected, with their scopes.',
  z.object({}),
  async (session) => {
    const intents = await session.intents()
    if (intents.length === 0) return 'No intent can be selected. Ask a person to declare one.'
    return intents
      .map(({ id, name, status, ownedScope }) => `${id} (${status}): ${name}\n  ${ownedScope.join(', ')}`)
      .join('\n')
  },
)

const requestScope = tool(
  'request_scope_expansion',
  "Ask a person to add paths to the active intent's scope.",
  z.object({ paths: z.array(z.string().min(1)).min(1).describe('Globs.'), why: text('For the person who decides.') }),
  async (session, { paths, why }) => {
    const { id, globs } = await session.requestScope(paths, why)
    return `A person was asked for ${globs.join(', ')} (question ${id}). The answer comes with a later tool result.`
  },
)

const recordLesson = tool(
  'record_lesson',
  'Record a lesson from a failure, for later work.',
  z.object({ lesson: text('The lesson.'), context: text('The situation in which it applies.').nullish() }),
  async (session, { lesson, context }) => {
    await session.recordLesson(lesson, context ?? undefined)
    return 'The lesson was recorded.'
  },
)

const runChecks = tool(
  'run_checks',
  'Run the checks of the intents that your staged changes are for: the commands among their acceptance criteria. People wrote them, and see the results. What they write is dropped.',
  z.object({}),
  async (session, _, signal) => formatChecks(await session.check(defined({ signal }))),
)

const showChanges = tool(
  'show_staged_changes',
  "Show your staged changes with the reviewers' verdicts, and the snapshots that you can return to.",
  z.object({ paths: z.array(z.string().min(1)).nullish().describe('Only these files; null for all.') }),
  async (session, { paths }) => {
    const snapshots = (await session.snapshots()).slice(-SNAPSHOTS)
    const marks = snapshots.map(
      ({ id, name, tool: before }) => `${id}${before ? ` before ${before}` : ''}${name ? ` ${name}` : ''}`,
    )
    return `${formatChanges(await session.changes(), paths ?? undefined)}\n\nSnapshots: ${marks.join(', ') || 'none'}`
  },
)

const revertChanges = tool(
  'revert_staged_changes',
  'Drop your own staged changes. The disk does not change.',
  z.object({ paths: z.array(z.string().min(1)).nullish().describe('Only these files; null for all.') }),
  async (session, { paths }) => {
    await session.revert(paths ?? undefined)
    return paths ? `Reverted: ${paths.join(', ')}.` : 'Everything staged was reverted.'
  },
)

const travel = tool(
  'travel_to_snapshot',
  'Return the stage to a snapshot. The current stage becomes another snapshot.',
  z.object({ snapshot_id: text('The id, as show_staged_changes lists it.') }),
  async (session, { snapshot_id }) => {
    const { left, kept } = await session.travel(snapshot_id)
    const stays = kept.length === 0 ? '' : ` Committed since, so left as they are on disk: ${kept.join(', ')}.`
    return `The stage is as it was at ${snapshot_id}; go to ${left.id} to come back.${stays}`
  },
)

/** The added tools by name. */
export const ADDED_TOOLS = {
  select_active_intent: selectActiveIntent,
  list_intents: listIntents,
  request_scope_expansion: requestScope,
  record_lesson: recordLesson,
  run_checks: runChecks,
  show_staged_changes: showChanges,
  revert_staged_changes: revertChanges,
  travel_to_snapshot: travel,
} as const satisfies Record<string, AddedTool>

/** The name of an added tool. */
export type AddedToolName = keyof typeof ADDED_TOOLS

/** Returns whether a tool is one of {@link ADDED_TOOLS}. */
export function isAddedTool(name: string): name is AddedToolName {
  return Object.hasOwn(ADDED_TOOLS, name)
}

/** Largest number of snapshots, of characters of hunks, and of characters of a check's output, in one result. */
const SNAPSHOTS = 20
const HUNKS = 20_000
const CHECK_OUTPUT = 4_000

function formatChecks({ checks }: CheckReport): string {
  if (checks.length === 0) return 'No check applies to what is staged.'
  const parts = checks.map(({ intentId, check, state, evidence }) => {
    const { output = '', exitCode, ended } = evidence ?? {}
    const end = ended === undefined ? `exit code ${exitCode}` : `stopped: ${ended}`
    const tail = output.length > CHECK_OUTPUT ? `…${output.slice(-CHECK_OUTPUT)}` : output
    return `${state}: ${check.run} (${intentId}, ${end})\n${tail}`.trimEnd()
  })
  return parts.join('\n\n')
}

function formatChanges({ changes }: ChangeSet, paths: readonly string[] | undefined): string {
  const wanted = paths ? changes.filter(({ path }) => paths.includes(path)) : changes
  if (wanted.length === 0) return 'Nothing is staged.'
  let left = HUNKS
  const parts = wanted.map(({ path, from, kind, state, flags, hunks }) => {
    const about = [kind, state, ...flags].join(', ')
    const lines = hunks.map((hunk) => hunk.text.trimEnd()).join('\n')
    left -= lines.length
    return `${from === undefined ? '' : `${from} -> `}${path} (${about})${left < 0 || lines === '' ? '' : `\n${lines}`}`
  })
  const cut = left < 0 ? '\n\n(Not every hunk is shown. Name fewer paths.)' : ''
  return parts.join('\n\n') + cut
}
