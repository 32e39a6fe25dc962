const LEVELS = ['none', 'note', 'look', 'stop'] as const

/** The name of a change's or a session's risk, as the queue counts it: 0 for none. */
export function riskLevel(risk: number): (typeof LEVELS)[number] {
  return LEVELS[Math.min(risk, LEVELS.length - 1)] ?? 'none'
}
