import type { Line, Texts } from './changed.js'
import type { FactName, Found } from './facts.js'
import { isProse, isSource } from './paths.js'

/** Comments in added lines that a check or a loader obeys: they switch a check off, or name a program or module to load. */
export function markFacts(path: string, { added }: Texts): Found[] {
  if (!isSource(path) || isProse(path)) return []
  return added.flatMap((line) =>
    MARKS.flatMap(([name, pattern]) => (pattern.test(cut(line)) ? [toFound(name, line)] : [])),
  )
}

const MARKS: readonly (readonly [name: FactName, pattern: RegExp])[] = [
  [
    'check-suppressed',
    /@ts-(?:nocheck|ignore|expect-error)\b|\b(?:eslint|biome|oxlint|tslint|jshint|ruff|pylint|mypy|flake8|stylelint)[-:]{1,2}\s?(?:disable|ignore|skip)|\b(?:istanbul|c8|v8|node:coverage)\s+(?:ignore|disable)\b|#\s*(?:noqa|type:\s*ignore|pyright:\s*ignore|nosec|pragma:\s*no\s?cover)|\/\/\s*(?:nolint|NOSONAR|nosemgrep|codeql\[)|#\[allow\(|@SuppressWarnings\b|\brubocop:disable\b|\bshellcheck disable\b/i,
  ],
  [
    'module-new',
    /@(?:jsxImportSource|jsxRuntime|jsx|jest-environment|vitest-environment)\s+(?!(?:react|preact|automatic|classic|node|jsdom|happy-dom|edge-runtime|h|React\.createElement)\s*(?:\*\/|$))\S/,
  ],
  ['script-runner', /^#!/],
]

const MAX_LINE = 2_000
const cut = ({ text }: Line) => text.slice(0, MAX_LINE)

function toFound(name: FactName, { number, text }: Line): Found {
  return { name, what: text, line: number }
}
