import { type ActionOn, keysOf } from '../../src/review/keymap.js'

/** The browser moves the focus and scrolls with these. */
const BROWSER = ['Tab', 'Shift-Tab', 'Home', 'End']

export type ReviewAction = ActionOn<'page'>

/** The page's part of the table of keys. */
export const PAGE_KEYS = keysOf('page').map(({ keys, action, does }) => ({
  keys: keys.filter((key) => !BROWSER.includes(key)),
  action,
  does,
}))

/** The key to teach for an action, for a button's title. */
export function keyOf(action: ReviewAction): string {
  return PAGE_KEYS.find((row) => row.action === action)?.keys[0] ?? ''
}

/** What a key asks for; undefined while a person writes, edits or answers a dialog, and with a modifier. */
export function actionOf(event: KeyboardEvent): ReviewAction | undefined {
  return isTyping(event) ? undefined : PAGE_KEYS.find(({ keys }) => keys.includes(event.key))?.action
}

function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  const isField = target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
  return isField || ctrlKey || metaKey || altKey || document.querySelector('dialog[open], .editor') !== null
}
