import { type Node, textOf } from '../os/tree.js'
import type { Script } from './scene.js'

/** Parts of words that cannot run anything. */
const INERT = new Set([
  'word',
  'number',
  'raw_string',
  'string_content',
  'variable_name',
  'special_variable_name',
  'test_operator',
  'heredoc_content',
  'file_descriptor',
  'simple_expansion',
])

/** Parts that have the effects of their children only. */
const TRANSPARENT = new Set([
  'string',
  'translated_string',
  'concatenation',
  'command_name',
  'brace_expression',
  'array',
  'unary_expression',
  'binary_expression',
  'parenthesized_expression',
])

const SUBSTITUTIONS = new Set(['command_substitution', 'process_substitution'])
const CHECKED = new Set(['expansion', 'arithmetic_expansion', 'ansi_c_string', 'extglob_pattern', 'regex'])

export function isWord({ type }: Node): boolean {
  return INERT.has(type) || TRANSPARENT.has(type) || SUBSTITUTIONS.has(type) || CHECKED.has(type)
}

/** Judges the substitutions and expansions in a word. */
export function judgeInside(node: Node, script: Script): undefined {
  const { found, syntax } = script
  if (SUBSTITUTIONS.has(node.type)) {
    // A substitution does not certainly read this command's input.
    for (const child of node.children) if (child.named) script.visit(child, { ...script, stdin: { from: 'unknown' } })
    return
  }
  if (CHECKED.has(node.type)) {
    const doubt = DOUBT_CHECKS[node.type]?.(textOf(syntax, node), node)
    if (doubt !== undefined) found.unknown(textOf(syntax, node), doubt)
  } else if (node.named && !INERT.has(node.type) && !TRANSPARENT.has(node.type)) {
    found.unknown(textOf(syntax, node), `has a part (${node.type}) that is not analysed`)
  }
  for (const child of node.children) if (child.named) judgeInside(child, script)
}

/** A parameter expansion with a default, a removed affix or a case change at most: no indirection, `@P` or arithmetic. */
const PLAIN_EXPANSION = /^\$\{#?(?:\w+|[@*#?])(?:\[(?:\d+|[@*])\])?(?:\}|:?[-+?]|[#%]|\/|[\^,])/

const DOUBT_CHECKS: Readonly<Record<string, (text: string, node: Node) => string | undefined>> = {
  expansion: (text) => (PLAIN_EXPANSION.test(text) ? undefined : 'is an expansion that may run something'),
  arithmetic_expansion: (text) =>
    /^\$\(\([\d\s+*/%()-]*\)\)$/.test(text) ? undefined : 'expands names, which may run something',
  // A shell without $'…' ends the quote at \'.
  ansi_c_string: (text) => (text.includes("\\'") ? 'is quoted in a way that shells read differently' : undefined),
  extglob_pattern: (text) => (/[()`]|\$/.test(text) ? 'is a pattern that shells read differently' : undefined),
  regex: (text) => (/`|\$\(/.test(text) ? 'is a pattern that shells read differently' : undefined),
}
