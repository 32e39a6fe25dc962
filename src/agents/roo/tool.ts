import { z } from 'zod'
import { ToolFailure } from '../../hooks/index.js'
import type { Session } from '../../index.js'

/** A tool's result: a text, or a record that becomes JSON for the model. */
export type Outcome = string | Readonly<Record<string, unknown>>

/** The work of a call with valid arguments. */
export type Work = (session: Session) => Promise<Outcome>

export interface RooTool {
  readonly name: string
  /** Throws {@link ToolFailure} for invalid arguments. */
  prepare(args: unknown): Work
}

/**
 * Creates a tool from the schema of its arguments and a function of the parsed ones. Unknown arguments are dropped, as
 * in the host.
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

/** A path as a model writes it. The session resolves and judges it. */
export const pathArgument = z.string().min(1)

/** Models with a strict schema send null for omitted arguments; others send numbers as text. */
export const lineArgument = z.preprocess(
  (value) => (typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value),
  z.int().positive().nullish(),
)

export const flagArgument = z.preprocess(
  (value) => (value === 'true' ? true : value === 'false' ? false : value),
  z.boolean().nullish(),
)
