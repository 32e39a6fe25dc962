import { type Node, textOf } from '../os/tree.js'
import { isWord, judgeInside } from './inside.js'
import type { Script } from './scene.js'
import { plainText, unquote, type Word, wordOf } from './words.js'

/** Special files that store nothing. */
const NOWHERE = /^\/dev\/(?:null|stdout|stderr|stdin|tty|zero|fd\/\d+)$/
const SOCKET = /^\/dev\/(?:tcp|udp)\//
const DEVICE = /^\/dev\/(?!shm\/)/

/** @returns words of the command that the grammar attributes to the redirection. */
export function judgeRedirect(node: Node, script: Script): Word[] {
  const { syntax, found } = script
  const part = textOf(syntax, node)
  const [target, ...others] = node.children.filter((child) => isWord(child) && child.type !== 'file_descriptor')
  for (const each of node.children) if (isWord(each)) judgeInside(each, script)
  const operator = node.children.find((child) => !child.named)?.type ?? ''
  if (target !== undefined) judgeTarget(operator, wordOf(syntax, target), part, script)
  else if (!/^[<>]&-$/.test(operator)) found.unknown(part, 'leads nowhere that is known')
  return others.map((each) => wordOf(syntax, each))
}

function judgeTarget(operator: string, target: Word, part: string, { found }: Script): undefined {
  const { text, lead } = target
  const known = text ?? lead
  if (SOCKET.test(known)) return found.add('network', part, 'contacts another machine')
  const isOpen =
    text === undefined &&
    (lead === '' || '/dev/tcp/'.startsWith(lead) || '/dev/udp/'.startsWith(lead) || lead.startsWith('/dev'))
  if (isOpen) found.unknown(part, 'has a target that is known only at run time')
  if (operator === '<') return
  if (/^[<>]&$/.test(operator) && /^(?:\d+|-|\d+-)$/.test(known)) return
  if (text !== undefined && NOWHERE.test(text)) return
  if (text !== undefined && DEVICE.test(text)) return found.add('destructive', part, 'writes to a device')
  found.steps.push({ writes: target })
  found.add('write', part, 'writes a file')
}

export interface Heredoc {
  /** Its text; undefined if the shell expands something in it. */
  readonly text: string | undefined
  /** Words and commands of the line that the grammar attributes to the here-document. */
  readonly words: readonly Word[]
  readonly commands: readonly Node[]
}

export function heredocOf(node: Node, script: Script): Heredoc {
  const { syntax, found } = script
  const start = node.children.find(({ type }) => type === 'heredoc_start')
  const body = node.children.find(({ type }) => type === 'heredoc_body')
  const isQuoted = start === undefined || /['"\\]/.test(textOf(syntax, start))
  const words: Word[] = []
  const commands: Node[] = []
  for (const child of node.children) {
    if (child.type === 'file_redirect') words.push(...judgeRedirect(child, script))
    else if (isWord(child)) {
      words.push(wordOf(syntax, child))
      judgeInside(child, script)
    } else if (child.named && !child.type.startsWith('heredoc_') && child.type !== 'file_descriptor')
      commands.push(child)
  }
  if (body === undefined) return { text: '', words, commands }
  if (isQuoted) return { text: textOf(syntax, body), words, commands }
  for (const child of body.children) if (child.named && child.type !== 'heredoc_content') judgeInside(child, script)
  const pieces = unquote(syntax, body, body.start, body.end)
  const bare = pieces.map(({ text }) => text).join('')
  if (/`|\$[({[]/.test(bare)) found.unknown(bare, 'has a part to run that cannot be separated')
  return { text: /\\/.test(textOf(syntax, body)) ? undefined : plainText(pieces), words, commands }
}
