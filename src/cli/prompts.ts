import { confirm, multiselect, password, select, text } from '@clack/prompts'
import { defined } from '../core/defined.js'

/** Asks the person at the terminal. Each method resolves to undefined on Ctrl-C or Escape. */
export interface Prompts {
  /** @param isDefault true if Enter means yes */
  confirm(question: string, isDefault?: boolean): Promise<boolean | undefined>
  /** Any number of the choices, also none. */
  multiselect<T extends string>(question: string, choices: readonly Choice<T>[]): Promise<readonly T[] | undefined>
  /** One of the choices. */
  select<T extends string>(question: string, choices: readonly Omit<Choice<T>, 'isSelected'>[]): Promise<T | undefined>
  text(
    question: string,
    about: { readonly placeholder?: string; readonly initial?: string },
  ): Promise<string | undefined>
  /** A text that is not shown. */
  password(question: string): Promise<string | undefined>
}

export interface Choice<T extends string> {
  readonly value: T
  readonly label: string
  readonly isSelected: boolean
}

/** Prompts are on stderr, so that stdout has only the command's output. */
const STREAMS = { input: process.stdin, output: process.stderr }

export const prompts: Prompts = {
  confirm: async (message, initialValue = false) =>
    unlessCancelled(await confirm({ ...STREAMS, message, initialValue })),
  multiselect: async (message, choices) => {
    const options = choices.map(({ value, label }) => ({ value: String(value), label }))
    const initialValues = choices.filter(({ isSelected }) => isSelected).map(({ value }) => String(value))
    const chosen = unlessCancelled(await multiselect({ ...STREAMS, message, options, initialValues, required: false }))
    return chosen && choices.map(({ value }) => value).filter((value) => chosen.includes(value))
  },
  select: async (message, choices) => {
    const options = choices.map(({ value, label }) => ({ value: String(value), label }))
    const chosen = unlessCancelled(await select({ ...STREAMS, message, options }))
    return choices.find(({ value }) => value === chosen)?.value
  },
  text: async (message, { placeholder, initial }) => {
    const about = {
      ...defined({ placeholder, initialValue: initial }),
    }
    const typed = unlessCancelled(await text({ ...STREAMS, message, ...about }))
    return typed === undefined ? undefined : (typed ?? '').trim()
  },
  password: async (message) => unlessCancelled(await password({ ...STREAMS, message }))?.trim(),
}

/** Converts the symbol of a cancelled prompt to undefined. */
function unlessCancelled<T>(value: T): Exclude<T, symbol> | undefined {
  return isAnswer(value) ? value : undefined
}

function isAnswer<T>(value: T): value is Exclude<T, symbol> {
  return typeof value !== 'symbol'
}
