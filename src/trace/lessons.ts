import { defined } from '../core/defined.js'

/** Lessons as they stand in a shared file: `## Lesson Learned (<ISO time>)`, the text, `**Context:** …`, `---`. */

export interface Lesson {
  /** ISO 8601. */
  readonly at: string
  readonly text: string
  readonly context?: string
  /** The intent it was learned for. */
  readonly intent?: string
}

const HEADING = /^## Lesson Learned \((.*)\)$/
const CONTEXT = /^\*\*Context:\*\* (.*?)(?: ?\((?:for )([^()\s]+)\))?$/

/** A lesson's lines. What could end it early or begin another is escaped, as Markdown has it. */
export function lessonText({ at, text, context, intent }: Lesson): string {
  const about = [context?.replace(/\s+/g, ' ').trim(), intent && `(for ${intent})`].filter((part) => part)
  const lines = [`## Lesson Learned (${at})`, '', escapeLesson(text.trim())]
  if (about.length > 0) lines.push('', `**Context:** ${about.join(' ')}`)
  return `${[...lines, '', '---'].join('\n')}\n`
}

/** The lessons of a file, in its order. What stands between them is somebody else's. */
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

/** Whether a lesson says what another does, whatever its layout and case. */
export function saysTheSame(a: string, b: string): boolean {
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
