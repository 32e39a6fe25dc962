import type { Change } from '../core/api.js'

/** A change's facts, each as one line: its severity, its sentence and its place. Empty in a change set without facts. */
export function riskLines({ risk }: Pick<Change, 'risk'>): string[] {
  return (risk?.facts ?? []).map(({ severity, sentence, line, oldLine }) => {
    const place = line !== undefined ? ` (line ${line})` : oldLine !== undefined ? ` (line ${oldLine} before)` : ''
    return `${severity}: ${sentence}${place}`
  })
}
