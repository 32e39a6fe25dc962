import type { ScopeReach } from '../core/question.js'

/** A sentence about the files that a wider scope would add. */
export function describeReach({ files, atLeast, examples, running }: ScopeReach): string {
  if (files === 0) return 'No file is there yet.'
  const count = `${atLeast === true ? 'At least ' : ''}${files} more ${files === 1 ? 'file' : 'files'}`
  const listed = `${count}: ${examples.join(', ')}${files > examples.length ? ', …' : ''}.`
  return running.length === 0 ? listed : `${listed} Among them: ${running.join('; ')}.`
}
