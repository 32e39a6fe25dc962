import { readdirSync, readFileSync } from 'node:fs'
import { z } from 'zod'

const outcome = z.strictObject({
  outcome: z.enum(['ok', 'denied', 'error']),
  /** The reason of a denial. */
  reason: z.string().optional(),
  /** Text that the result must contain. */
  contains: z.string().optional(),
})

const at = z.int().positive()

const agentStep = z.strictObject({
  at,
  agent: z.string(),
  id: z.string(),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  expect: outcome,
})

const editStep = z.strictObject({
  at,
  person: z.literal('edit-on-disk'),
  path: z.string(),
  replace: z.tuple([z.string(), z.string()]),
})

const escrowStep = z.strictObject({
  at,
  person: z.literal('escrow'),
  arguments: z.array(z.string()),
  expect: z.strictObject({ exit: z.int(), contains: z.string().optional() }),
})

const diskStep = z.strictObject({
  at,
  person: z.literal('look-at-disk'),
  path: z.string(),
  contains: z.string().optional(),
  lacks: z.string().optional(),
})

export type AgentStep = z.output<typeof agentStep>
export type PersonStep = z.output<typeof editStep> | z.output<typeof escrowStep> | z.output<typeof diskStep>
export type Step = AgentStep | PersonStep

const step = z.union([agentStep, editStep, escrowStep, diskStep])

/**
 * Reads the steps of all transcripts in a directory, in the order of `at`. Steps with the same number run in parallel.
 * Throws an Error with the file and line of an invalid step.
 */
export function readTranscripts(directory: string): Step[][] {
  const groups = new Map<number, Step[]>()
  for (const name of readdirSync(directory)
    .filter((file) => file.endsWith('.jsonl'))
    .sort()) {
    for (const parsed of readTranscript(`${directory}/${name}`, name)) {
      groups.set(parsed.at, [...(groups.get(parsed.at) ?? []), parsed])
    }
  }
  return [...groups].sort(([a], [b]) => a - b).map(([, steps]) => steps)
}

function readTranscript(path: string, name: string): Step[] {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  return lines.map((line, index) => {
    const parsed = step.safeParse(JSON.parse(line))
    if (!parsed.success) throw new Error(`${name}:${index + 1}: ${z.prettifyError(parsed.error)}`)
    return parsed.data
  })
}
