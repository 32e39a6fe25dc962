import { createContext, Script } from 'node:vm'
import { ToolFailure } from '../../hooks/index.js'
import { codeOf } from '../../surface/index.js'

const MATCH = new Script(
  '(() => { const hits = []; for (let i = 0; i < texts.length; i++) if (regex.test(texts[i])) hits.push(i); return hits })()',
)

/** Returns the indexes of the texts that a pattern matches. Throws {@link ToolFailure} when the time is used up. */
export type Matcher = (regex: Pick<RegExp, 'test'>, texts: readonly string[]) => number[]

/**
 * A matcher that spends at most `milliseconds` on all its calls together. Some patterns would run for years, and only V8 can
 * interrupt one, through `vm`. The context is a timer here, not a sandbox: the texts are data.
 */
export function boundedMatcher(milliseconds: number): Matcher {
  let remaining = milliseconds
  const sandbox = createContext({})
  return (regex, texts) => {
    const started = performance.now()
    try {
      Object.assign(sandbox, { regex, texts })
      const hits: unknown = MATCH.runInContext(sandbox, { timeout: Math.max(1, Math.ceil(remaining)) })
      return Array.isArray(hits) ? hits.map(Number) : []
    } catch (error) {
      if (codeOf(error) !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error
      throw new ToolFailure(`Matching took more than ${milliseconds} ms. Use a simpler pattern or a narrower path.`)
    } finally {
      remaining -= performance.now() - started
    }
  }
}
