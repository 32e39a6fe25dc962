import { confirm, multiselect, select, text } from '@clack/prompts'
import { defined } from '../core/defined.js'

/** Questions to the person at the terminal. Each answers undefined where they leave by Ctrl-C or Escape. */
export interface Asking {
  /** @param isProposed Enter says yes. */
  yes(question: string, isProposed?: boolean): Promise<boolean | undefined>
  /** Any of several, none included. */
  some<T extends string>(question: string, choices: readonly Choice<T>[]): Promise<readonly T[] | undefined>
  /** One of several. */
  one<T extends string>(question: string, choices: readonly Omit<Choice<T>, 'isChosen'>[]): Promise<T | undefined>
  line(question: string, about: { readonly shown?: string; readonly initial?: string }): Promise<string | undefined>
}

export interface Choice<T extends string> {
  readonly value: T
  readonly label: string
  readonly isChosen: boolean
}

/** On stderr: what the command prints stays clean. */
const AT = { input: process.stdin, output: process.stderr }

export const asking: Asking = {
  yes: async (message, initialValue = false) => answer(await confirm({ ...AT, message, initialValue })),
  some: async (message, choices) => {
    const options = choices.map(({ value, label }) => ({ value: String(value), label }))
    const initialValues = choices.filter(({ isChosen }) => isChosen).map(({ value }) => String(value))
    const chosen = answer(await multiselect({ ...AT, message, options, initialValues, required: false }))
    return chosen && choices.map(({ value }) => value).filter((value) => chosen.includes(value))
  },
  one: async (message, choices) => {
    const options = choices.map(({ value, label }) => ({ value: String(value), label }))
    const chosen = answer(await select({ ...AT, message, options }))
    return choices.find(({ value }) => value === chosen)?.value
  },
  line: async (message, { shown, initial }) => {
    const about = {
      ...defined({ placeholder: shown, initialValue: initial }),
    }
    const typed = answer(await text({ ...AT, message, ...about }))
    return typed === undefined ? undefined : (typed ?? '').trim()
  },
}

/** A symbol stands for having left. */
function answer<T>(given: T): Exclude<T, symbol> | undefined {
  return isAnswer(given) ? given : undefined
}

function isAnswer<T>(given: T): given is Exclude<T, symbol> {
  return typeof given !== 'symbol'
}
