import { z } from 'zod'
import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'

/** A tool's answer: a text, or a record that reaches the model as JSON. */
export type Outcome = string | Readonly<Record<string, unknown>>

/** The work of a call whose arguments are valid. */
export type Work = (session: Session) => Promise<Outcome>

export interface RooTool {
  readonly name: string
  /** Throws {@link ToolFailure} when the arguments are not what the tool takes. */
  prepare(args: unknown): Work
}

/**
 * Makes a tool from the schema of its arguments and a function of the checked ones. Unknown arguments are dropped, as
 * the host drops them.
 */
export function defineTool<S extends z.ZodType>(
  name: string,
  schema: S,
  prepare: (args: z.output<S>) => Work,
): RooTool {
  return {
    name,
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
