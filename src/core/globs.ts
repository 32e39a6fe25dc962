/** The globs of an owned scope: their syntax check, and the expansion of braces. */

export const MAX_GLOBS = 200
const MAX_GLOB_LENGTH = 512
const MAX_ALTERNATIVES = 64
const MAX_STARS = 4

/**
 * Returns why a glob is invalid, and what to write instead; undefined for a valid glob.
 * A leading `!` excludes paths, a leading `./` is ignored, and a trailing `/` includes everything in the directory.
 */
export function globProblem(glob: string): string | undefined {
  const body = globBody(glob)
  return spellingProblem(glob, body) ?? bracesProblem(body)
}

/**
 * As {@link globProblem}, and also rejects an unclosed character class, for a glob that somebody enters now. In an existing file,
 * an unclosed `[` stays valid and matches the character itself.
 */
export function newGlobProblem(glob: string): string | undefined {
  const isOpen = glob.split('/').some((segment) => /\[/.test(segment.replace(/\[[!^]?[^\]]+\]/g, '')))
  return globProblem(glob) ?? (isOpen ? 'a [ is not closed; close it, or write [[] for the character' : undefined)
}

/** Returns a glob without its `!` and `./`, and with `/**` for a trailing slash. */
export function globBody(glob: string): string {
  const positive = glob.startsWith('!') ? glob.slice(1) : glob
  const relative = positive.startsWith('./') ? positive.slice(2) : positive
  return relative.endsWith('/') ? `${relative}**` : relative
}

function spellingProblem(glob: string, body: string): string | undefined {
  if (body === '') return 'an empty glob matches nothing; remove it'
  if (glob.length > MAX_GLOB_LENGTH) return `longer than ${MAX_GLOB_LENGTH} characters; shorten it`
  if (/[\u0000-\u001f\u007f]/.test(body)) return 'a control character is not allowed; remove it'
  if (body.includes('\\')) return 'a backslash is not allowed; write / between directories'
  if (body.startsWith('/') || /^[A-Za-z]:/.test(body))
    return 'an absolute path is not allowed; write it relative to the root'
  if (body.startsWith('!')) return 'more than one ! is not allowed; keep one'
  if (body.includes('|') || /[?*+@!]\(|\)[*+?{]/.test(body)) {
    return 'patterns in parentheses are not allowed; write one glob for each, or {a,b}'
  }
  return undefined
}

function bracesProblem(body: string): string | undefined {
  if (/\{[^{},]*\.\.[^{},]*\}/.test(body)) return 'a range in braces is not allowed; write its members: {1,2,3}'
  const alternatives = expandBraces(body)
  if (alternatives === undefined) return `braces are not closed, or expand to more than ${MAX_ALTERNATIVES} globs`
  for (const each of alternatives) {
    const problem = segmentsProblem(each)
    if (problem) return problem
  }
  return undefined
}

function segmentsProblem(glob: string): string | undefined {
  const segments = glob.split('/')
  for (const segment of segments) {
    if (segment === '' || segment === '.' || segment === '..') return 'empty, . and .. segments are not allowed'
    if (segment !== '**' && starCount(segment) > MAX_STARS) return `more than ${MAX_STARS} * in one segment; use fewer`
    if (/\[\[?:/.test(segment)) return 'named character classes are not allowed; write the characters'
  }
  if (segments.filter((segment) => segment === '**').length > MAX_STARS) return `more than ${MAX_STARS} ** ; use fewer`
  return undefined
}

function starCount(segment: string): number {
  return segment.match(/\*+/g)?.length ?? 0
}

/**
 * `a{b,c}d` → `abd`, `acd`. Braces without a comma are plain characters.
 * @returns undefined if braces are not closed or there are more than 64 alternatives
 */
export function expandBraces(glob: string): string[] | undefined {
  const done: string[] = []
  const open = [{ head: '', rest: glob }]
  for (let next = open.pop(); next; next = open.pop()) {
    const brace = nextBrace(next.rest)
    if (brace === 'unclosed' || done.length + open.length >= MAX_ALTERNATIVES) return undefined
    if (!brace) done.push(next.head + next.rest)
    else if (brace.parts.length === 1) {
      open.push({ head: next.head + next.rest.slice(0, brace.start + 1), rest: next.rest.slice(brace.start + 1) })
    } else {
      const before = next.rest.slice(0, brace.start)
      const after = next.rest.slice(brace.end)
      for (const part of brace.parts.reverse()) open.push({ head: next.head, rest: before + part + after })
    }
  }
  return done
}

interface Brace {
  readonly start: number
  /** Just past the closing brace. */
  readonly end: number
  readonly parts: string[]
}

/** The first brace group at the outermost level. */
function nextBrace(text: string): Brace | 'unclosed' | undefined {
  const start = text.indexOf('{')
  if (start < 0) return undefined
  const parts: string[] = []
  let depth = 0
  let from = start + 1
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (char === '{') depth++
    else if (char === '}') depth--
    if (depth === 0 || (depth === 1 && char === ',')) {
      parts.push(text.slice(from, i))
      from = i + 1
    }
    if (depth === 0) return { start, end: i + 1, parts }
  }
  return 'unclosed'
}
