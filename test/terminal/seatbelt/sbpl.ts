import type { SeatbeltProfile } from '../../../src/terminal/seatbelt/profile.js'

/**
 * An interpreter of Seatbelt profiles: how one of our profiles decides about one operation. It knows the operations
 * that our profiles use, and throws for others.
 */

type Term = string | readonly Term[]

/** The requested operation of a process. */
export interface Asked {
  readonly operation: string
  readonly path?: string
  /** The name of a service or a kernel value, or an address. */
  readonly name?: string
  readonly isSameSandbox?: boolean
}

/** Words, strings with their quotes, and `#"…"` patterns. */
function termsOf(text: string): Term[] {
  const tokens = text.match(/#"[^"]*"|"(?:[^"\\]|\\.)*"|[()]|[^\s()"]+/g) ?? []
  const stack: Term[][] = [[]]
  for (const token of tokens) {
    if (token === '(') stack.push([])
    else if (token !== ')') stack.at(-1)?.push(token)
    else {
      const done = stack.pop()
      if (done === undefined || stack.length === 0) throw new Error('A bracket is not opened.')
      stack.at(-1)?.push(done)
    }
  }
  const [all] = stack
  if (all === undefined || stack.length > 1) throw new Error('A bracket is not closed.')
  return all
}

/** Whether a profile allows something. The last rule that matches decides. */
export function allows({ text, parameters }: SeatbeltProfile, operation: Asked): boolean {
  const values = new Map(
    parameters.map((each) => [each.slice(0, each.indexOf('=')), each.slice(each.indexOf('=') + 1)]),
  )
  const textOf = (term: Term | undefined): string => {
    if (typeof term === 'string' && term.startsWith('"')) return term.slice(1, -1)
    const [head, name] = term ?? []
    const value = head === 'param' && typeof name === 'string' ? values.get(name.slice(1, -1)) : undefined
    if (value === undefined) throw new Error(`No value: ${JSON.stringify(term)}`)
    return value
  }
  const matches = (filter: Term): boolean => {
    const [head, ...of] = filter
    if (head === 'require-all') return of.every(matches)
    if (head === 'subpath') return operation.path !== undefined && isBelow(operation.path, textOf(of[0]))
    if (head === 'literal') return operation.path === textOf(of[0])
    if (head === 'regex')
      return operation.path !== undefined && new RegExp(String(of[0]).slice(2, -1)).test(operation.path)
    if (head === 'sysctl-name' || head === 'global-name') return operation.name === textOf(of[0])
    if (head === 'sysctl-name-prefix') return operation.name?.startsWith(textOf(of[0])) ?? false
    if (head === 'target') return operation.isSameSandbox === true
    if (head === 'remote' || head === 'local') return of[0] === 'ip' && operation.name !== undefined
    if (head === 'socket-domain') return operation.name === of[0]
    throw new Error(`An unknown filter: ${String(head)}`)
  }
  let answer: boolean | undefined
  for (const term of termsOf(text)) {
    const [verb, ...rest] = term
    if (verb === 'version') continue
    if (verb !== 'allow' && verb !== 'deny') throw new Error(`An unknown rule: ${String(verb)}`)
    const operations = rest.filter((each): each is string => typeof each === 'string')
    const of = rest.filter((each) => typeof each !== 'string')
    if (operations.some((each) => isOperation(operation.operation, each)) && (of.length === 0 || of.some(matches)))
      answer = verb === 'allow'
  }
  if (answer === undefined) throw new Error('The profile has no default.')
  return answer
}

function isOperation(operation: string, name: string): boolean {
  return name === 'default' || name === operation || (name.endsWith('*') && operation.startsWith(name.slice(0, -1)))
}

function isBelow(path: string, of: string): boolean {
  return of === '/' || path === of || path.startsWith(`${of}/`)
}
