import { type ActionOn, keysOf } from '../../src/review/keymap.js'

/** Keys that the browser uses to move the focus and scroll. */
const BROWSER = ['Tab', 'Shift-Tab', 'Home', 'End']

export type ReviewAction = ActionOn<'page'>

/** The page's rows of the table of keys. */
export const PAGE_KEYS = keysOf('page').map(({ keys, action, does }) => ({
  keys: keys.filter((key) => !BROWSER.includes(key)),
  action,
  does,
}))

/** The first key of an action, for a button's title. */
export function keyOf(action: ReviewAction): string {
  return PAGE_KEYS.find((row) => row.action === action)?.keys[0] ?? ''
}

/** The action of a key. Undefined with a modifier, and while a field, editor or dialog has the input. */
export function actionOf(event: KeyboardEvent): ReviewAction | undefined {
  return isTyping(event) ? undefined : PAGE_KEYS.find(({ keys }) => keys.includes(event.key))?.action
}

function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isField =
    target instanceof Element &&
    target.closest('input:not([type=checkbox]), textarea, select, [contenteditable]') !== null
  return isField || ctrlKey || metaKey || altKey || document.querySelector('dialog[open], .editor') !== null
}
