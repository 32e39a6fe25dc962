/**
 * Text that may be or begin a comment in any language. Comments change the counts below without a change of meaning.
 */
const COMMENT = /\/\/|\/\*|\*\/|#|--|"""|'''|<!--|^\s*\*|\{-|%/m
const WORD = /[\w$\x80-\uffff]+/g
const OPERATOR = /[+!^~?:=<>.]/g

/**
 * Whether a change is certainly no refactoring, from the texts alone: layout, renames and moves keep the count of
 * words, the numbers and the operators. Nothing is certain where the changed part may contain comments.
 */
export function definitelyDiffers(before: string, after: string): boolean {
  const [old, now] = changedPart(before, after)
  if (COMMENT.test(old) || COMMENT.test(now)) return false
  const [was, is] = [words(old), words(now)]
  return was.count !== is.count || was.numbers !== is.numbers || operators(old) !== operators(now)
}

/** The texts without the lines that both begin and end with. */
function changedPart(before: string, after: string): [string, string] {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before[start] === after[start]) start++
  start = start === 0 ? 0 : before.lastIndexOf('\n', start - 1) + 1
  let end = 0
  while (end < most - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end++
  const rest = before.indexOf('\n', before.length - end)
  const tail = rest === -1 ? 0 : before.length - rest
  return [before.slice(start, before.length - tail), after.slice(start, after.length - tail)]
}

function words(text: string): { readonly count: number; readonly numbers: string } {
  let count = 0
  const numbers: string[] = []
  for (const [word] of text.matchAll(WORD)) {
    count++
    if (/^\d/.test(word)) numbers.push(word)
  }
  return { count, numbers: numbers.sort().join(' ') }
}

function operators(text: string): string {
  return (text.match(OPERATOR) ?? []).sort().join('')
}
