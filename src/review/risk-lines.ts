import type { Change } from '../core/api.js'

/** Renders the facts about a change, one line each: severity, sentence and place. Empty in a change set without facts. */
export function riskLines({ risk }: Pick<Change, 'risk'>): string[] {
  return (risk?.facts ?? []).map(({ severity, sentence, line, oldLine }) => {
    const place = line !== undefined ? ` (line ${line})` : oldLine !== undefined ? ` (line ${oldLine} before)` : ''
    return `${severity}: ${sentence}${place}`
  })
}
