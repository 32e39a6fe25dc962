import type { Node } from '../os/tree.js'
import type { Language } from './languages.js'

/**
 * Comments that a program may obey: compilers, linters, bundlers, documentation tests, code generators, loaders. A
 * complete list is impossible, so everything that does not look like plain prose counts as a directive.
 */
const DIRECTIVE: readonly RegExp[] = [
  /@[\w*]/,
  /^#!/,
  // Documentation in code (`///`, `/*!`), regions, and the tags of tools (`//#`, `/*:`, `//~`, `//go:`, `#SBATCH`).
  // `//*` is a division in old C.
  /^(?:\/\/|\/\*)[/!#:=~%<?+$&|-]|^\/\/\*/,
  /^#[^\s#]/,
  /^\W*\+\w/,
  /==|%%|-\*-|\*-|-\{|\{\{|\{[%#]|<%|%>/,
  /-(?:ignore|disable|enable|env|expect|next|off|on|environment)\b/i,
  /\b(?:ignore|noqa|pragma|no-?lint\w*|lint|pylint|mypy|pyright|ruff|flake8|isort|fmt|yapf|black|nocov|cover)\b/i,
  /\b(?:eslint|tslint|jshint|jslint|jscs|istanbul|[cv]8|webpack\w*|vite|rollup|globals?|exported|sourceMap\w*)\b/i,
  /\b(?:typed|nodoc|rubocop|steep|frozen_string_literal|encoding|coding|warn_indent|shareable_constant_value)\b/i,
  /\b(?:no(?:inspection|sonar|format)|checkstyle|suppress\w*|resharper|fall-?thr(?:ough|u)|notreached|lcov\w*|iwyu)\b/i,
  /\b(?:clang-?(?:format|tidy)|gcovr?\w*|coverity|codechecker\w*|stryker|(?:start|stop)doc)\b/i,
  /\b(?:shellcheck|vim|emacs|ex|modeline|auto-?generated|do not edit|begin [a-z]+ info|language)\b/i,
  /^\/\*\s*(?:graphql|gql|html|css|sql|svg|xml|glsl|wgsl|regex|js|ts|md|markdown|json|yaml)\s*\*\/$/i,
  /\b(?:unordered )?output:/i,
  /\bwant\s+[`"]/,
  // Nothing obeys these, but they are terms and no remark.
  /\bcopyright\b|\blicen[cs]ed?\b|\(c\)\s*\d{4}|\u00a9/i,
  // Control characters, unusual line ends and text directions can hide code.
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u0085\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/,
  // The comment continues on the next line, or should.
  /\\[ \t]*(?:\r?\n|$)|\?\?\//,
]

/** A line that begins with a name and a colon: headers of plugins, themes, scripts, examples. */
const HEADER = /^[ \t/*#;!-]*[\w][\w .-]{0,40}:(?!\/\/)/m
const REMARK = /^[ \t/*#;!-]*(?:todo|fixme|note|hack|xxx|why|warning|caution|important|reason|see|tip)\b[^:\n]{0,20}:/i

/** Whether a comment is only for human readers. */
export function isPlainComment(text: string, language: Language): boolean {
  if (DIRECTIVE.some((each) => each.test(text))) return false
  if (HEADER.test(text) && !REMARK.test(text)) return false
  switch (language.grammar) {
    case 'rust':
      return !/^\/\*\*/.test(text)
    case 'php':
      // Annotations and plugin headers are read from block comments.
      return !text.startsWith('/*')
    case 'go':
      // `package a // import "b"` fixes the path by which others import it.
      return !/^\/\/\S|^\/[/*]\s*import\b/.test(text)
    case 'c-sharp':
      // Documentation is shipped.
      return !text.startsWith('/**')
    case 'css':
      // Converters of units read `/* no */` and `/* px */`.
      return !text.includes('\\') && !text.startsWith('//') && !/^\/\*\s*(?:no|px)\s*\*\/$/.test(text)
    case 'java':
      return !text.includes('\\u')
    case 'javascript':
      // JavaScript types are written in comments.
      return text.startsWith('//') || (text.startsWith('/*') && !/\{[^}]*\}/.test(text))
    default:
      return true
  }
}

const ALL_COUNT: Readonly<Record<string, RegExp>> = {
  // The comment before `import "C"` is C code, and the comments at the end of an example are its expected output.
  go: /"C"|(?:^|\n)[ \t]*\/\/[ \t]*(?:Unordered )?[Oo]utput:/,
  python: /^#[ \t]*\/\/\/\s/m,
  typescript: /==UserScript==/,
  javascript: /==UserScript==/,
}

/** Whether any comment of a file may matter, however plain. */
export function everyCommentCounts(text: string, language: Language): boolean {
  return ALL_COUNT[language.grammar]?.test(text) ?? false
}

const COMMENTS = new Set(['comment', 'line_comment', 'block_comment', 'js_comment'])

export function isComment(node: Node): boolean {
  return node.named && COMMENTS.has(node.type)
}

/** Whether the text of an exact node includes its comments. */
export function keepsComments({ grammar }: Language): boolean {
  return grammar === 'c-sharp' || grammar === 'css'
}

/** Whether a comment is not the same as white space. */
export function isNoSpace({ grammar }: Language): boolean {
  return grammar === 'css' || grammar === 'ruby'
}
