import { z } from 'zod'
import type { Session, ToolCall } from '../../index.js'

/** A tool's answer: a text, or a record that reaches the model as JSON. */
export type Outcome = string | Readonly<Record<string, unknown>>

export type PlannedWrite = NonNullable<ToolCall['writes']>[number]

/** A call whose arguments are valid: what it is going to change, and the work itself. */
export interface Prepared {
  readonly writes?: readonly PlannedWrite[]
  run(session: Session): Promise<Outcome>
}

export interface RooTool {
  readonly name: string
  readonly kind: ToolCall['kind']
  /** Throws {@link ToolFailure} when the arguments are not what the tool takes. */
  prepare(args: unknown): Prepared
}

/** A tool that could not do what it was asked, in words for the model. Nothing was written. */
export class ToolFailure extends Error {
  override readonly name = 'ToolFailure'
}

/**
 * Makes a tool from the schema of its arguments and a function of the checked ones. Unknown arguments are dropped, as
 * the host drops them.
 */
export function defineTool<S extends z.ZodType>(
  name: string,
  kind: ToolCall['kind'],
  schema: S,
  prepare: (args: z.output<S>) => Prepared,
): RooTool {
  return {
    name,
    kind,
    prepare(args) {
      const checked = schema.safeParse(args)
      if (!checked.success) throw new ToolFailure(`Wrong arguments for ${name}.\n${z.prettifyError(checked.error)}`)
      return prepare(checked.data)
    },
  }
}

/** A path as a model gives it. Where it leads is the session's to judge. */
export const pathArgument = z.string().min(1)

/** Models under a strict schema send null for what they leave out, others send numbers as text. */
export const lineArgument = z.preprocess(
  (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
  z.int().positive().nullish(),
)

export const flagArgument = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean().nullish(),
)
