import { type ActionOn, type KeyOn, keysOf } from '../../surface/index.js'

/** Where the changes come from: this machine, or a hub. */
export type Surface = 'terminal' | 'hub'
export type Action = ActionOn<Surface>

/** Every key of a terminal review, in the order of the help. */
export const KEYS: Readonly<Record<Surface, readonly KeyOn<Surface>[]>> = {
  terminal: keysOf('terminal'),
  hub: keysOf('hub'),
}

export function actionOf(key: string, surface: Surface = 'terminal'): Action | undefined {
  return KEYS[surface].find(({ keys }) => keys.includes(key))?.action
}

/** A key event of Node's `readline`. */
export interface RawKey {
  readonly sequence?: string | undefined
  readonly name?: string | undefined
  readonly ctrl?: boolean | undefined
  readonly meta?: boolean | undefined
  readonly shift?: boolean | undefined
}

const NAMES: Readonly<Record<string, string>> = {
  up: 'Up',
  down: 'Down',
  left: 'Left',
  right: 'Right',
  pageup: 'PageUp',
  pagedown: 'PageDown',
  home: 'Home',
  end: 'End',
  return: 'Enter',
  enter: 'Enter',
  escape: 'Escape',
  backspace: 'Backspace',
  delete: 'Delete',
  space: 'Space',
  'paste-start': 'PasteStart',
  'paste-end': 'PasteEnd',
}

/** The name of a key as in {@link KEYS}. A printable character is its own name. Undefined for every other key. */
export function keyName(text: string | undefined, key: RawKey): string | undefined {
  if (key.name === 'tab') return key.shift ? 'Shift-Tab' : 'Tab'
  if (key.ctrl && key.name !== undefined && /^[a-z]$/.test(key.name)) return `Ctrl-${key.name.toUpperCase()}`
  const name = key.name === undefined ? undefined : NAMES[key.name]
  if (name !== undefined) return name
  if (key.meta || key.ctrl) return undefined
  const character = text ?? key.sequence
  return character !== undefined && /^\P{Cc}$/u.test(character) ? character : undefined
}
