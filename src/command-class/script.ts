import { defined } from '../core/defined.js'
import { type Node, type Syntax, textOf } from '../os/tree.js'
import type { Findings } from './findings.js'
import { isWord, judgeInside } from './inside.js'
import { JUDGES, judgeWords } from './judge.js'
import { heredocOf, judgeRedirect } from './redirects.js'
import type { CommandContext, Script, Stdin } from './scene.js'
import { parseDoubt } from './text-doubts.js'
import { riskOf } from './variables.js'
import { type Word, wordOf } from './words.js'

/** Judges a script by its syntax tree. Everything that is uncertain is `other`. */
export function judgeScript(text: Omit<Script, 'visit'>): undefined {
  const script: Script = { ...text, visit }
  const { syntax, found } = script
  const doubt = parseDoubt(syntax)
  if (doubt !== undefined) found.unknown(syntax.text, doubt)
  visit(syntax.root, script)
}

/** Statements whose effects are those of their parts. */
const MADE_OF_PARTS = new Set([
  'program',
  'list',
  'subshell',
  'compound_statement',
  'if_statement',
  'elif_clause',
  'else_clause',
  'do_group',
  'while_statement',
  'case_statement',
  'case_item',
  'negated_command',
  'variable_assignments',
  'command_substitution',
  'process_substitution',
])

const BY_TYPE: Readonly<Record<string, (node: Node, script: Script) => undefined>> = {
  command: (node, script) => judgeCommand(node, [], script),
  redirected_statement: judgeRedirected,
  pipeline: judgePipeline,
  for_statement: judgeFor,
  function_definition: judgeFunction,
  variable_assignment: (node, script) => void judgeAssignment(node, script, 'alone'),
  declaration_command: judgeDeclaration,
  unset_command: judgeDeclaration,
  test_command: judgeTest,
  file_redirect: (node, script) => void judgeRedirect(node, script),
  comment: () => undefined,
}

function visit(node: Node, script: Script): undefined {
  if (isWord(node)) return judgeInside(node, script)
  if (MADE_OF_PARTS.has(node.type)) {
    for (const child of node.children) if (child.named) visit(child, script)
    return
  }
  const judge = BY_TYPE[node.type]
  if (judge !== undefined) return judge(node, script)
  script.found.unknown(textOf(script.syntax, node), `has a part (${node.type}) that is not analysed`)
  for (const child of node.children) if (child.named) visit(child, script)
}

function judgeCommand(node: Node, after: readonly Word[], script: Script): undefined {
  const { syntax, found } = script
  const words: Word[] = []
  const late: Word[] = []
  const prefixes: string[] = []
  const inside = found.part()
  let { stdin } = script
  for (const child of node.children) {
    if (child.type === 'variable_assignment') prefixes.push(judgeAssignment(child, script, 'prefix'))
    else if (child.type === 'file_redirect') late.push(...judgeRedirect(child, script))
    else if (child.type === 'herestring_redirect') stdin = stdinOf(child, script)
    else if (child.type === 'command_name' || isWord(child)) {
      words.push(wordOf(syntax, child))
      judgeInside(child, { ...script, found: inside })
    } else if (child.named) visit(child, script)
    else if (!/^(?:=~|==|=)$/.test(child.type)) found.unknown(textOf(syntax, node), `has ${child.type} among its words`)
  }
  const all = [...words, ...late, ...after]
  const findings = found.part()
  judgeWords(all, sceneOf(node, script, findings, stdin))
  if (inside.has('network') && findings.has('other'))
    findings.add('destructive', textOf(syntax, node), 'may run code from another machine')
  found.addAll(inside.toClassified())
  found.addAll(findings.toClassified())
  for (const name of prefixes) judgePrefix(name, all, findings, script)
}

/** `NAME=value command`. */
function judgePrefix(name: string, words: readonly Word[], findings: Findings, { found }: Script): undefined {
  const peril = name === 'IFS' && words[0]?.text === 'read' ? 'none' : riskOf(name)
  const { classes } = findings.toClassified()
  if (peril === 'perilous' || (peril === 'open' && classes.includes('read-only') && words.length > 0))
    found.unknown(`${name}=`, 'may change what the command does')
}

function sceneOf(node: Node, script: Script, found: Findings, stdin: Stdin): CommandContext {
  return {
    judges: JUDGES,
    found,
    stdin,
    script: (text, fed) => script.nested(text, fed, found),
    isFunction: (name) => definedBefore(script.syntax.root, node.start, name, script.syntax),
  }
}

/** A definition at the top of the line, which nothing can have left out. */
function definedBefore(root: Node, start: number, name: string, syntax: Syntax): boolean {
  return root.children.some((child) => {
    const at = child.children.find(({ type }) => type === 'word')
    return child.type === 'function_definition' && child.end <= start && at !== undefined && textOf(syntax, at) === name
  })
}

function judgeRedirected(node: Node, script: Script): undefined {
  let { stdin } = script
  const late: Word[] = []
  const after: Node[] = []
  let body: Node | undefined
  for (const child of node.children) {
    if (child.type === 'file_redirect') late.push(...judgeRedirect(child, script))
    else if (child.type === 'heredoc_redirect') {
      const heredoc = heredocOf(child, script)
      stdin = { ...defined({ text: heredoc.text }), from: 'unknown' }
      late.push(...heredoc.words)
      after.push(...heredoc.commands)
    } else if (child.type === 'herestring_redirect') stdin = stdinOf(child, script)
    else if (child.named) body = child
  }
  const inner = { ...script, stdin }
  if (body?.type === 'command') judgeCommand(body, late, inner)
  else {
    if (late.length > 0) script.found.unknown(textOf(script.syntax, node), 'has words after a redirection')
    if (body !== undefined) visit(body, inner)
  }
  // The commands after a here-document on its line read the output of its command.
  for (const each of after)
    visit(each, { ...script, stdin: { from: script.found.has('network') ? 'network' : 'pipe' } })
}

/** `<<< word`. */
function stdinOf(node: Node, script: Script): Stdin {
  const [word] = node.children.filter(isWord)
  if (word === undefined) return { from: 'unknown' }
  judgeInside(word, script)
  const { text } = wordOf(script.syntax, word)
  return text === undefined ? { from: 'unknown' } : { text, from: 'unknown' }
}

/** Each stage reads the output of those before it. */
function judgePipeline(node: Node, script: Script): undefined {
  let { stdin } = script
  for (const child of node.children) {
    if (!child.named) continue
    const findings = script.found.part()
    visit(child, { ...script, found: findings, stdin })
    script.found.addAll(findings.toClassified())
    const isFar = findings.has('network') || stdin.from === 'network'
    stdin = { from: isFar ? 'network' : 'pipe' }
  }
}

function judgeFor(node: Node, script: Script): undefined {
  for (const child of node.children) {
    if (child.type === 'variable_name') {
      const name = textOf(script.syntax, child)
      if (riskOf(name) === 'perilous') script.found.unknown(name, 'may change what commands do')
    } else if (child.named) visit(child, script)
  }
}

/** A body counts where it is defined, whether or not it is called. */
function judgeFunction(node: Node, script: Script): undefined {
  for (const child of node.children) if (child.named && child.type !== 'word') visit(child, script)
}

/** Returns the variable's name, for the command that may follow. */
function judgeAssignment(node: Node, script: Script, place: 'alone' | 'prefix'): string {
  const { syntax, found } = script
  const [target, ...values] = node.children.filter(({ named }) => named)
  const name = target?.type === 'variable_name' ? textOf(syntax, target) : ''
  if (name === '') found.unknown(textOf(syntax, node), 'sets a part of a variable')
  else if (place === 'alone' && riskOf(name) === 'perilous') found.unknown(`${name}=`, 'may change what commands do')
  for (const value of values) visit(value, script)
  return name
}

/** `export`, `unset` and similar: later commands get the variables that they set. */
function judgeDeclaration(node: Node, script: Script): undefined {
  const { syntax, found } = script
  for (const child of node.children) {
    if (!child.named) continue
    const text = textOf(syntax, child)
    const name = /^\w+/.exec(text)?.[0] ?? ''
    const isPlain = /^(?:variable_name|variable_assignment|word)$/.test(child.type) && riskOf(name) === 'none'
    if (!isPlain && !/^-[pxr]$/.test(text)) found.unknown(textOf(syntax, node), 'may change what commands do')
    if (child.type === 'variable_assignment') judgeAssignment(child, script, 'alone')
    else visit(child, script)
  }
}

/** `[ … ]` and `[[ … ]]`; in some shells the latter is a command like any other, with words and redirections. */
function judgeTest(node: Node, script: Script): undefined {
  const text = textOf(script.syntax, node)
  const works = /(?:^|\s)-(?:eq|ne|lt|le|gt|ge|v|R)(?:\s|$)/.test(text) && !/^\[\s/.test(text)
  const isOdd = /^(?:\(\(|\[\[[\s\S]*(?:&&|\|\||[<>()]))/.test(text) || /[<>]|-[vR]\s/.test(text)
  if (works || isOdd) script.found.unknown(text, 'is read in several ways by shells')
  for (const child of node.children) if (child.named) judgeInside(child, script)
}
