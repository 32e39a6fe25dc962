/** Every key of a review, in the order of its help. `docs/review.md` has the same table; a test compares them. */

export type Action =
  | 'approve'
  | 'reject'
  | 'approveFile'
  | 'rejectFile'
  | 'approveAll'
  | 'undo'
  | 'split'
  | 'edit'
  | 'discard'
  | 'commit'
  | 'next'
  | 'previous'
  | 'nextFile'
  | 'previousFile'
  | 'down'
  | 'up'
  | 'pageDown'
  | 'pageUp'
  | 'first'
  | 'last'
  | 'search'
  | 'once'
  | 'subtree'
  | 'remember'
  | 'help'
  | 'redraw'
  | 'suspend'
  | 'quit'

export interface Key {
  /** As a person knows it. */
  readonly keys: readonly string[]
  readonly action: Action
  readonly does: string
}

export const KEYS: readonly Key[] = [
  {
    keys: ['y'],
    action: 'approve',
    does: 'approve this hunk, and go to the next undecided; answer a question with allow',
  },
  {
    keys: ['n'],
    action: 'reject',
    does: 'reject this hunk in words that the agent is told; answer a question with deny',
  },
  { keys: ['a'], action: 'approveFile', does: 'approve this file' },
  { keys: ['d'], action: 'rejectFile', does: 'reject this file, in words' },
  { keys: ['A'], action: 'approveAll', does: 'approve all that nobody has rejected' },
  { keys: ['u'], action: 'undo', does: 'take back the verdict on this hunk, or else the last one given here' },
  { keys: ['s'], action: 'split', does: 'split this hunk at its unchanged lines' },
  { keys: ['e'], action: 'edit', does: 'edit this file as it is staged, in $EDITOR' },
  { keys: ['x'], action: 'discard', does: 'take this hunk, or its file, out of the stage' },
  { keys: ['c'], action: 'commit', does: 'put what is approved on disk' },
  { keys: ['o'], action: 'once', does: 'answer a question with once' },
  { keys: ['t'], action: 'subtree', does: 'answer a question with allow, for its directory' },
  { keys: ['r'], action: 'remember', does: 'answer a question with allow, and make it a rule of policy.yaml' },
  { keys: ['j'], action: 'next', does: 'next hunk' },
  { keys: ['k'], action: 'previous', does: 'previous hunk' },
  { keys: ['Tab', ']'], action: 'nextFile', does: 'next file' },
  { keys: ['Shift-Tab', '['], action: 'previousFile', does: 'previous file' },
  { keys: ['J', 'Down'], action: 'down', does: 'one line down' },
  { keys: ['K', 'Up'], action: 'up', does: 'one line up' },
  { keys: ['Space', 'PageDown'], action: 'pageDown', does: 'one page down' },
  { keys: ['b', 'PageUp'], action: 'pageUp', does: 'one page up' },
  { keys: ['g', 'Home'], action: 'first', does: 'first hunk' },
  { keys: ['G', 'End'], action: 'last', does: 'last hunk' },
  { keys: ['/'], action: 'search', does: 'search; nothing but Enter searches on' },
  { keys: ['?'], action: 'help', does: 'this help' },
  { keys: ['Ctrl-L'], action: 'redraw', does: 'redraw the screen' },
  { keys: ['Ctrl-Z'], action: 'suspend', does: 'back to the shell, until fg' },
  { keys: ['q', 'Ctrl-C'], action: 'quit', does: 'leave; verdicts are kept' },
]

const ACTIONS: ReadonlyMap<string, Action> = new Map(
  KEYS.flatMap(({ keys, action }) => keys.map((key) => [key, action] as const)),
)

export function actionOf(key: string): Action | undefined {
  return ACTIONS.get(key)
}

/** What Node's readline tells of a key. */
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

/** The name of a key as {@link KEYS} has it; a letter is itself. Undefined for what is none. */
export function nameOf(text: string | undefined, key: RawKey): string | undefined {
  if (key.name === 'tab') return key.shift ? 'Shift-Tab' : 'Tab'
  if (key.ctrl && key.name !== undefined && /^[a-z]$/.test(key.name)) return `Ctrl-${key.name.toUpperCase()}`
  const name = key.name === undefined ? undefined : NAMES[key.name]
  if (name !== undefined) return name
  if (key.meta || key.ctrl) return undefined
  const given = text ?? key.sequence
  return given !== undefined && /^\P{Cc}$/u.test(given) ? given : undefined
}
