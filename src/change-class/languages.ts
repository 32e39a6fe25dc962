import { basename, extname } from 'node:path'

/**
 * The meaning of white space. `free`: only between words. `ecmascript`, `go`, `python`: by the language's rules for the
 * end of statements. `css`: as a combinator. `spaced`: everywhere, but not its amount.
 */
export type Spacing = 'free' | 'ecmascript' | 'go' | 'python' | 'css' | 'spaced'

export interface Language {
  /** The name of the grammar's file. */
  readonly grammar: string
  readonly spacing: Spacing
  /** Nodes in which white space is content. */
  readonly exact: RegExp
  /** Code that can observe its own position or spelling. */
  readonly seesItself: RegExp
}

const EXACT =
  /string|heredoc|nowdoc|regex|char|symbol|shell|jsx_text|raw_|^text|_literal_content|user_defined_literal|^line_continuation/
const with_ = (more: RegExp) => new RegExp(`${EXACT.source}|${more.source}`)
const MACROS = with_(/token_tree|macro_definition/)
const PREPROCESSOR = with_(/^preproc_(?!if|ifdef|else|elif)/)

const ECMASCRIPT = {
  spacing: 'ecmascript',
  exact: EXACT,
  seesItself: /prepareStackTrace|callsite|lineNumber|__line|<!--/,
} as const

const LANGUAGES = {
  typescript: { ...ECMASCRIPT, grammar: 'typescript' },
  tsx: { ...ECMASCRIPT, grammar: 'tsx' },
  javascript: { ...ECMASCRIPT, grammar: 'javascript' },
  python: {
    grammar: 'python',
    spacing: 'python',
    exact: EXACT,
    seesItself: /\binspect\b|_getframe|currentframe|lineno|getsource|linecache|icecream|\bic\(|varname|executing/,
  },
  go: { grammar: 'go', spacing: 'go', exact: EXACT, seesItself: /runtime\.Callers?\b|Lshortfile|Llongfile|\.go:/ },
  rust: {
    grammar: 'rust',
    spacing: 'free',
    exact: MACROS,
    seesItself: /\b(?:line|column|include|include_str|include_bytes)!|Location::caller|track_caller/,
  },
  java: { grammar: 'java', spacing: 'free', exact: EXACT, seesItself: /getLineNumber|StackWalker|\\u/ },
  csharp: {
    grammar: 'c-sharp',
    spacing: 'free',
    // A method may ask for the text of its arguments, and of the value that it extends.
    exact: new RegExp(`${PREPROCESSOR.source}|argument_list|^invocation_expression`),
    seesItself: /Caller(?:LineNumber|ArgumentExpression)|StackFrame|StackTrace|^[ \t]*#[ \t]*line/m,
  },
  cpp: {
    grammar: 'cpp',
    spacing: 'free',
    exact: PREPROCESSOR,
    // Also where the grammar reads other lines: a backslash before blanks joins two, and an import ends with its line.
    seesItself:
      /__LINE__|__COUNTER__|source_location|\?\?[/=()<>!'-]|^[ \t]*(?:#|%:)[ \t]*line\b|\\[ \t\f\v]+\r?$|^[ \t]*(?:export[ \t]+)?(?:import|module)\b/m,
  },
  ruby: {
    grammar: 'ruby',
    spacing: 'spaced',
    exact: EXACT,
    seesItself: /__LINE__|\bcaller|\bDATA\b|__END__|source_location|method_source|RubyVM/,
  },
  php: {
    grammar: 'php',
    spacing: 'free',
    // In PHP 7 an attribute is a comment, which ends with its line.
    exact: with_(/^attribute_list/),
    // Also where the grammar reads other tags: `??>` in a comment ends the code, and `<?php(` does not begin it.
    seesItself:
      /__LINE__|__halt_compiler|HALT_OFFSET|debug_(?:print_)?backtrace|get(?:Start|End)?Line\b|getDocComment|\?\?>|<\?(?!=|php(?:[ \t\r\n]|$))/i,
  },
  css: {
    grammar: 'css',
    spacing: 'css',
    exact: with_(/^(?:integer|float)_value$/),
    // An address without quotes has no comments.
    seesItself: /@charset|\\|\burl\([^"'()]*\/\*/i,
  },
  bash: {
    grammar: 'bash',
    spacing: 'spaced',
    exact: with_(/^(?:expansion|subscript)$/),
    // Also a script that the shell prints as it reads it, and a mark before the first `#`, which is then no comment.
    seesItself:
      /LINENO|BASH_SOURCE|BASH_ARGV0|\bcaller\b|\$\{?0\b|\bhistory\b|\bfc\b|\r|^\ufeff|\bset\s[^\n;|&]{0,80}-[a-zA-Z]*v|-[a-z]*o\s+verbose|^#![^\n]*\s-[a-z]*v/,
  },
} as const satisfies Record<string, Language>

const BY_EXTENSION: Readonly<Record<string, Language>> = {
  '.ts': LANGUAGES.typescript,
  '.mts': LANGUAGES.typescript,
  '.cts': LANGUAGES.typescript,
  '.tsx': LANGUAGES.tsx,
  '.js': LANGUAGES.javascript,
  '.mjs': LANGUAGES.javascript,
  '.cjs': LANGUAGES.javascript,
  '.jsx': LANGUAGES.javascript,
  '.py': LANGUAGES.python,
  '.pyi': LANGUAGES.python,
  '.go': LANGUAGES.go,
  '.rs': LANGUAGES.rust,
  '.java': LANGUAGES.java,
  '.cs': LANGUAGES.csharp,
  '.cc': LANGUAGES.cpp,
  '.cpp': LANGUAGES.cpp,
  '.cxx': LANGUAGES.cpp,
  '.h': LANGUAGES.cpp,
  '.hh': LANGUAGES.cpp,
  '.hpp': LANGUAGES.cpp,
  '.rb': LANGUAGES.ruby,
  '.php': LANGUAGES.php,
  '.css': LANGUAGES.css,
  '.sh': LANGUAGES.bash,
  '.bash': LANGUAGES.bash,
}

/** The language of a file by its name. Undefined for a template of another language (`x.blade.php`, `x.js.erb`). */
export function languageOf(path: string): Language | undefined {
  const name = basename(path).toLowerCase()
  if (name.endsWith('.blade.php')) return undefined
  return BY_EXTENSION[extname(name)]
}
