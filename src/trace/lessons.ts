import { defined } from '../core/defined.js'

/** The format of lessons in a shared file: `## Lesson Learned (<ISO time>)`, the text, `**Context:** …`, `---`. */

export interface Lesson {
  /** ISO 8601. */
  readonly at: string
  readonly text: string
  readonly context?: string
  /** The intent that was active. */
  readonly intent?: string
}

const HEADING = /^## Lesson Learned \((.*)\)$/
const CONTEXT = /^\*\*Context:\*\* (.*?)(?: ?\((?:for )([^()\s]+)\))?$/

/** Formats a lesson as Markdown. Escapes text that would end it early or begin another. */
export function formatLesson({ at, text, context, intent }: Lesson): string {
  const about = [context?.replace(/\s+/g, ' ').trim(), intent && `(for ${intent})`].filter((part) => part)
  const lines = [`## Lesson Learned (${at})`, '', escapeLesson(text.trim())]
  if (about.length > 0) lines.push('', `**Context:** ${about.join(' ')}`)
  return `${[...lines, '', '---'].join('\n')}\n`
}

/** The lessons of a file, in order. Other text between them is skipped. */
export function lessonsIn(content: string): Lesson[] {
  const lessons: Lesson[] = []
  let open: { at: string; lines: string[]; context?: string; intent?: string } | undefined
  for (const line of content.split(/\r?\n/)) {
    const [, at] = HEADING.exec(line) ?? []
    const [, context, intent] = CONTEXT.exec(line) ?? []
    if (at !== undefined) open = { at, lines: [] }
    else if (open === undefined) continue
    else if (line === '---') {
      const { lines, ...rest } = open
      lessons.push({ ...rest, text: unescapeLesson(lines.join('\n').trim()) })
      open = undefined
    } else if (context !== undefined) open = { ...open, context, ...defined({ intent }) }
    else open.lines.push(line)
  }
  return lessons
}

/** Whether two lessons are the same but for layout and case. */
export function isSameLesson(a: string, b: string): boolean {
  return plain(a) === plain(b)
}

function plain(text: string): string {
  return text.replace(/\s+/g, ' ').trim().toLowerCase()
}

function escapeLesson(text: string): string {
  return text.replace(/^(?=---$|## |\*\*Context:|\\+(?:---$|## |\*\*Context:))/gm, '\\')
}

function unescapeLesson(text: string): string {
  return text.replace(/^\\(?=\\*(?:---$|## |\*\*Context:))/gm, '')
}
