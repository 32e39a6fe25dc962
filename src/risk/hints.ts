import type { Line, Texts } from './changed.js'
import { isTest } from './paths.js'
import { checkName } from './words.js'

/**
 * Whether the syntax of a file can have facts at all. Parsing is the greatest cost, and most edits need none: no line
 * with one of these words was added or removed, and the file uses no module that reaches out of the program. A hint is
 * only a reason to look, so these lists are wider than the facts.
 */
export function needsSyntax(path: string, texts: Texts): boolean {
  const { before, after, added, removed } = texts
  // A line that moved into or out of a comment is neither added nor removed.
  if (isTest(path) || isReordered(texts)) return true
  if (added.length === 0 && removed.length === 0) return false
  if (REACHES.test(after) || added.some(({ text }) => text.length > MAX_LINE)) return true
  if (added.some(({ text }) => CALLS.test(text) || (before !== '' && CONSTANTS.test(text)))) return true
  return before !== '' && removed.some(isLoss)
}

/** Modules whose functions reach out: their calls can have any name. */
const REACHES =
  /['"](?:node:)?(?:child_process|execa|cross-spawn|shelljs|zx|node-pty|tinyexec|nano-spawn|https?2?|net|tls|dgram|dns(?:\/promises)?|axios|got|node-fetch|undici|superagent|request|ky|ws|needle|phin|nodemailer|vm)['"]/
const CALLS =
  /\\u|\.(?:node|wasm)\b|\b(?:from|process|global|globalThis|module|mainModule|createRequire|getBuiltinModule|constructor|prototype|defineProperty|defineProperties|assign|setPrototypeOf|Reflect|with|assert|expect|fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|eval|Function|setTimeout|setInterval|Bun|Deno|require|import|binding|dlopen|insertAdjacentHTML|writeln|setHTMLUnsafe|rimraf\w*|emptyDir\w*|removeSync|rm|rmSync|rmdir\w*|query|execute|raw|exec|run|all|prepare|unsafe|dangerouslySetInnerHTML|innerHTML|outerHTML|catch)\b|process\s*\.\s*env\b(?!\s*[.[])/
const CONSTANTS = /\b(?:true|false)\b|\(\s*[01]\s*\)/
/** Whether lines that both sides have come in another order. */
function isReordered({ before, after, added, removed }: Texts): boolean {
  return commonLines(before, removed) !== commonLines(after, added)
}

function commonLines(text: string, own: readonly Line[]): string {
  const left = new Set(own.map(({ number }) => number))
  return text
    .split('\n')
    .flatMap((line, at) => (left.has(at + 1) || line.trim() === '' ? [] : [line.trim()]))
    .join('\n')
}

const LOSES =
  /\b(?:if|catch|export|exports|test|match|exec|replace)\b|=>\s*\/|\s(?:[<>]=?|[!=]==?|&&|\|\|)\s|[(=,:]\s*\/[^/*]/
const MAX_LINE = 2_000

function isLoss({ text }: Line): boolean {
  return text.length > MAX_LINE || LOSES.test(text) || checkName(text) !== undefined
}
