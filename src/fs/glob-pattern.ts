import picomatch from 'picomatch'

/** Any number of directories. */
export const GLOBSTAR = Symbol('**')

/** One segment of a glob: a literal name, a wildcard test, or `**`. An empty one at the end is a trailing slash. */
export type Segment = string | ((name: string) => boolean) | typeof GLOBSTAR

export interface GlobPattern {
  readonly segments: readonly Segment[]
  /** The rest of the glob after each segment, as text: globs with an equal rest find the same from there. */
  readonly rests: readonly string[]
}

/** Parses a glob as the hosts do: braces first, then names, `x/..` and `.` by their text; `\` is a slash. */
export function parseGlob(glob: string): GlobPattern[] {
  return expandBraces(glob.replaceAll('\\', '/')).map((each) => {
    const names = reduceDots(each.split('/'))
    return { segments: names.map(segmentOf), rests: names.map((_, i) => names.slice(i).join('/')) }
  })
}

/** Whether the names of a path match the segments. At the end, `**` matches at least one name. */
export function matchesNames(segments: readonly Segment[], names: readonly string[], from = 0, at = 0): boolean {
  const segment = segments[from]
  const name = names[at]
  if (segment === undefined || name === undefined) return segment === name
  if (segment !== GLOBSTAR) return fitsName(segment, name) && matchesNames(segments, names, from + 1, at + 1)
  if (from === segments.length - 1) return names.slice(at).every((each) => !each.startsWith('.'))
  if (matchesNames(segments, names, from + 1, at)) return true
  return !name.startsWith('.') && matchesNames(segments, names, from, at + 1)
}

export function fitsName(segment: Segment | undefined, name: string): boolean {
  if (typeof segment === 'function') return segment(name)
  return segment === GLOBSTAR || segment === name
}

function segmentOf(name: string): Segment {
  if (name === '**') return GLOBSTAR
  if (!/[*?[(]/.test(name)) return name
  const fits = picomatch(name.replaceAll('[!', '[^'), { nonegate: true })
  // picomatch lets `!(a)` match a name with a leading dot.
  return /(^|[(|])\./.test(name) ? fits : (each) => !each.startsWith('.') && fits(each)
}

function expandBraces(glob: string): string[] {
  const start = /(?<!\$)\{/.exec(glob)?.index
  if (start === undefined) return [glob]
  const [before, rest] = [glob.slice(0, start), glob.slice(start + 1)]
  const group = readGroup(rest)
  // A lone brace, or one choice, is text.
  if (!group || group.choices.length < 2) return expandBraces(rest).map((each) => `${before}{${each}`)
  const after = expandBraces(rest.slice(group.end))
  return group.choices.flatMap((choice) =>
    expandBraces(choice).flatMap((middle) => after.map((end) => `${before}${middle}${end}`)),
  )
}

/** The choices up to the closing brace of a group, and its end. */
function readGroup(text: string): { readonly choices: string[]; readonly end: number } | undefined {
  const choices: string[] = []
  let depth = 0
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '{') depth++
    else if (char === '}' && depth > 0) depth--
    else if (char === '}') return { choices: [...choices, text.slice(from, i)], end: i + 1 }
    else if (char === ',' && depth === 0) {
      choices.push(text.slice(from, i))
      from = i + 1
    }
  }
  return undefined
}

/**
 * The names without those that `..` removes, without `.` and empty ones between two names, and without a repeated `**`.
 */
function reduceDots(names: readonly string[]): string[] {
  const segments: string[] = []
  names.forEach((name, i) => {
    const inside = i > 0 && i < names.length - 1
    if (inside && (name === '.' || name === '')) return
    const last = segments.at(-1)
    if (name === '**' && last === '**') return
    if (name !== '..' || last === undefined || ['', '.', '..', '**'].includes(last)) segments.push(name)
    else segments.splice(-1, 1, ...(segments.length === 1 && names[i + 1] === '**' ? ['.'] : []))
  })
  if (segments.length === 2 && segments[0] === '.' && (segments[1] === '.' || segments[1] === '')) return ['.']
  return segments.length > 0 ? segments : ['']
}
