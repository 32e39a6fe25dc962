import type { Intent, NewIntent } from '../../index.js'
import { oneLine } from '../printable.js'
import type { Asking } from '../prompts.js'

/** Characters of a prompt that become the name of an intent. */
const NAME = 72

/** What an agent is to work for: an intent that is there, or a new one. Undefined where the person left. */
export type Chosen = { readonly id: string } | { readonly add: NewIntent } | undefined

export interface Choice {
  /** The id that the person named. */
  readonly named?: string | undefined
  /** What the person wrote for a new intent, or typed as the agent's prompt. */
  readonly task?: string | undefined
  /** A new intent even where others are open. */
  readonly isNewTask: boolean
  /** The intent that is selected for the workspace. */
  readonly active?: Intent | undefined
  readonly selectable: readonly Intent[]
  /** Paths that a new intent may touch. */
  readonly scope: readonly string[]
}

/**
 * Chooses the intent: the one that was named, the selected one, the only open one, or a new one of the prompt. Asks at most once.
 * @param asking undefined where nobody can be asked.
 * @throws an Error with a `hint` where a question would be needed.
 */
export async function chooseIntent(choice: Choice, asking: Asking | undefined, agent: string): Promise<Chosen> {
  const { named, task, isNewTask, active, selectable, scope } = choice
  if (named !== undefined) return { id: named }
  const add = (name: string) => ({ add: { name: nameOf(name), ownedScope: [...scope] } })
  if (isNewTask && task !== undefined) return add(task)
  if (active !== undefined) return { id: active.id }
  const [only, ...others] = selectable
  if (only !== undefined && others.length === 0) return { id: only.id }
  if (only === undefined && task !== undefined) return add(task)
  if (asking === undefined) throw needsAnswer(selectable)
  if (only !== undefined) {
    const choices = selectable.map(({ id, name }) => ({ value: id, label: oneLine(`${id}  ${name}`) }))
    const id = await asking.one(`Which intent does ${agent} work for?`, choices)
    return id === undefined ? undefined : { id }
  }
  const name = await asking.line(`What should ${agent} do? (Enter starts it)`, { shown: 'Show prices with tax' })
  return name === undefined ? undefined : add(name === '' ? `Work of ${agent}` : name)
}

/** The prompt among an agent's arguments: the first that reads like a sentence. */
export function promptIn(args: readonly string[]): string | undefined {
  return args.find((each) => !each.startsWith('-') && /\S\s+\S/.test(each))
}

function nameOf(text: string): string {
  const line = oneLine(text.trim().split(/\r?\n/, 1)[0] ?? '')
  return [...line].length > NAME ? `${[...line].slice(0, NAME - 1).join('')}…` : line
}

function needsAnswer(selectable: readonly Intent[]): Error {
  const ids = selectable.map(({ id }) => oneLine(id)).join(', ')
  const [message, hint] =
    selectable.length === 0
      ? ['No intent is declared.', "Describe the task: --task 'Show prices with tax'."]
      : ['Several intents are open.', `Name one: --intent. There are: ${ids}.`]
  return Object.assign(new Error(message), { reason: 'missing_intent_id', hint })
}
