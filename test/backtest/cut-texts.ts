/** Texts of clients and models are long, and under their copyright. */
const MAX = 120

/** Shortens the long texts in a JSON document or in lines of it, except the arguments of calls. */
export function cutTexts(text: string): string {
  try {
    return `${JSON.stringify(cut(JSON.parse(text)), undefined, 1)}\n`
  } catch {
    const lines = text.split('\n').filter((line) => line !== '')
    return lines.map((line) => `${JSON.stringify(cut(JSON.parse(line)))}\n`).join('')
  }
}

const KEPT = new Set(['arguments', 'input', 'args'])
/** Lists of the tools that a client offers. */
const DROPPED = new Set(['tools', 'base_instructions', 'system_prompt', 'instructions'])

function cut(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX ? `${value.slice(0, MAX)} …` : value
  if (Array.isArray(value)) return value.map(cut)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !DROPPED.has(key))
      .map(([key, each]: [string, unknown]) => [key, KEPT.has(key) ? each : cut(each)]),
  )
}
