import type { Intent, NewIntent } from '../../index.js'
import { oneLine } from '../printable.js'
import type { Prompts } from '../prompts.js'

/** The longest name of an intent made from a prompt, in characters. */
const MAX_NAME_LENGTH = 72

/** The intent for an agent: an existing one or a new one. Undefined if the person left. */
export type ChosenIntent = { readonly id: string } | { readonly add: NewIntent } | undefined

export interface IntentChoice {
  /** The id that the person named. */
  readonly named?: string | undefined
  /** The text of `--task`, or the agent's prompt. */
  readonly task?: string | undefined
  /** True to declare a new intent even if others are open, unless one of them has this name and scope. */
  readonly isNewTask: boolean
  /** The selected intent of the workspace. */
  readonly active?: Intent | undefined
  readonly selectable: readonly Intent[]
  /** Paths that a new intent may change. */
  readonly scope: readonly string[]
}

/**
 * Chooses the intent: the named one, the selected one, the only open one, or a new one from the prompt. Asks at most once.
 * @param prompts undefined if nobody can be asked
 * @throws Error with a `hint` if a question is needed and nobody can be asked
 */
export async function chooseIntent(
  choice: IntentChoice,
  prompts: Prompts | undefined,
  agent: string,
): Promise<ChosenIntent> {
  const { named, task, isNewTask, active, selectable, scope } = choice
  if (named !== undefined) return { id: named }
  const add = (text: string): ChosenIntent => {
    const name = toIntentName(text)
    // A failed run, or one that changed nothing, left its intent open. The next attempt uses it.
    const same = selectable.find((each) => isPlain(each) && each.name === name && isSameScope(each.ownedScope, scope))
    return same === undefined ? { add: { name, ownedScope: [...scope] } } : { id: same.id }
  }
  if (isNewTask && task !== undefined) return add(task)
  if (active !== undefined) return { id: active.id }
  const [only, ...others] = selectable
  if (only !== undefined && others.length === 0) return { id: only.id }
  if (only === undefined && task !== undefined) return add(task)
  if (prompts === undefined) throw choiceError(selectable)
  if (only !== undefined) {
    const choices = selectable.map(({ id, name }) => ({ value: id, label: oneLine(`${id}  ${name}`) }))
    const id = await prompts.select(`Which intent does ${agent} work for?`, choices)
    return id === undefined ? undefined : { id }
  }
  const name = await prompts.text(`What should ${agent} do? (Enter starts it)`, { placeholder: 'Show prices with tax' })
  return name === undefined ? undefined : add(name === '' ? `Work of ${agent}` : name)
}

/** Whether an intent has only a name and a scope, like those that this command declares. */
function isPlain({ alsoWithin, constraints, acceptanceCriteria, checks, dependsOn }: Intent): boolean {
  return (
    alsoWithin === undefined && [constraints, acceptanceCriteria, checks, dependsOn].every(({ length }) => length === 0)
  )
}

function isSameScope(one: readonly string[], other: readonly string[]): boolean {
  return [...one].sort().join('\n') === [...other].sort().join('\n')
}

/** Finds the prompt among an agent's arguments: the first one with two words that is not an option. */
export function findPrompt(args: readonly string[]): string | undefined {
  return args.find((each) => !each.startsWith('-') && /\S\s+\S/.test(each))
}

function toIntentName(text: string): string {
  const line = oneLine(text.trim().split(/\r?\n/, 1)[0] ?? '')
  return [...line].length > MAX_NAME_LENGTH ? `${[...line].slice(0, MAX_NAME_LENGTH - 1).join('')}…` : line
}

function choiceError(selectable: readonly Intent[]): Error {
  const ids = selectable.map(({ id }) => oneLine(id)).join(', ')
  const [message, hint] =
    selectable.length === 0
      ? ['No intent is declared.', "Describe the task: --task 'Show prices with tax'."]
      : ['Several intents are open.', `Name one: --intent. There are: ${ids}.`]
  return Object.assign(new Error(message), { reason: 'missing_intent_id', hint })
}
