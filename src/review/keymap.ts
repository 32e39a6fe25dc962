/**
 * The keys of a review in the terminal, in the terminal on a hub, on the page and in the editor. Their help and `docs/review.md` are generated from this table.
 *
 * A key has the same action on every surface that has it. A surface may omit an action, but may not bind another key to it.
 */

export type Surface = 'terminal' | 'hub' | 'page' | 'editor'

export interface KeyBinding {
  /** The names of the keys: `y`, `Shift-Tab`, `PageDown`. Help shows the first. */
  readonly keys: readonly string[]
  readonly action: string
  readonly does: string
  /** Its action at a question. A hub has no questions. */
  readonly question?: string
  readonly on: readonly Surface[]
}

const EVERYWHERE = ['terminal', 'hub', 'page', 'editor'] as const
const ON_MACHINES = ['terminal', 'page', 'editor'] as const
const SCREENS = ['terminal', 'hub', 'page'] as const
const OWN_SCREENS = ['terminal', 'page'] as const
const TERMINALS = ['terminal', 'hub'] as const

const KEYMAP = [
  {
    keys: ['y'],
    action: 'approve',
    does: 'approve this hunk and go to the next undecided one',
    question: 'allow a question',
    on: EVERYWHERE,
  },
  {
    keys: ['n'],
    action: 'reject',
    does: 'reject this hunk and tell the agent why',
    question: 'deny a question',
    on: EVERYWHERE,
  },
  { keys: ['Y'], action: 'approveFile', does: 'approve this file', on: EVERYWHERE },
  { keys: ['N'], action: 'rejectFile', does: 'reject this file and tell the agent why', on: EVERYWHERE },
  {
    keys: ['A'],
    action: 'approveAll',
    does: 'approve everything listed that is not rejected, after a summary',
    on: SCREENS,
  },
  {
    keys: ['u'],
    action: 'undo',
    does: 'undo the verdict on this hunk, or else the last verdict given here',
    on: ON_MACHINES,
  },
  { keys: ['s'], action: 'split', does: 'split this hunk at its unchanged lines', on: OWN_SCREENS },
  { keys: ['e'], action: 'edit', does: 'edit this file as it is staged', on: OWN_SCREENS },
  { keys: ['x'], action: 'discard', does: 'discard this hunk, or its file', on: OWN_SCREENS },
  { keys: ['m'], action: 'merge', does: 'merge this file with what is on disk now', on: ['page'] },
  { keys: ['c'], action: 'commit', does: 'write what is approved to disk, after a summary', on: ON_MACHINES },
  {
    keys: ['C'],
    action: 'check',
    does: 'run the checks on what is approved, or on everything staged',
    on: OWN_SCREENS,
  },
  {
    keys: ['T'],
    action: 'checklist',
    does: 'go to the checklist; Space ticks a sentence, or clears its tick',
    on: OWN_SCREENS,
  },
  {
    keys: ['U'],
    action: 'undoCommit',
    does: 'undo the commit made here last: its inverse is staged, for review',
    on: ['page'],
  },
  { keys: ['o'], action: 'once', does: 'allow a question once', on: OWN_SCREENS },
  { keys: ['t'], action: 'subtree', does: 'allow a question for its directory', on: OWN_SCREENS },
  { keys: ['r'], action: 'remember', does: 'allow a question and write the rule to policy.yaml', on: OWN_SCREENS },
  { keys: ['j'], action: 'next', does: 'next hunk', on: EVERYWHERE },
  { keys: ['k'], action: 'previous', does: 'previous hunk', on: EVERYWHERE },
  { keys: ['J', ']', 'Tab'], action: 'nextFile', does: 'next file', on: EVERYWHERE },
  { keys: ['K', '[', 'Shift-Tab'], action: 'previousFile', does: 'previous file', on: EVERYWHERE },
  { keys: ['l'], action: 'list', does: 'show or hide the list of files', on: SCREENS },
  { keys: ['f'], action: 'fold', does: 'fold or unfold this file', on: OWN_SCREENS },
  { keys: ['v'], action: 'view', does: 'order by step, by file or by risk', on: OWN_SCREENS },
  { keys: ['S'], action: 'sides', does: 'side by side, or in one column', on: ['page'] },
  { keys: ['+'], action: 'expand', does: 'show more unchanged lines around this hunk', on: ['page'] },
  { keys: ['w'], action: 'wrap', does: 'wrap long lines, or scroll them', on: ['page'] },
  { keys: ['Down'], action: 'down', does: 'one line down', on: TERMINALS },
  { keys: ['Up'], action: 'up', does: 'one line up', on: TERMINALS },
  { keys: ['Space', 'PageDown'], action: 'pageDown', does: 'one page down', on: TERMINALS },
  { keys: ['b', 'PageUp'], action: 'pageUp', does: 'one page up', on: TERMINALS },
  { keys: ['g', 'Home'], action: 'first', does: 'first hunk', on: SCREENS },
  { keys: ['G', 'End'], action: 'last', does: 'last hunk', on: SCREENS },
  { keys: ['i'], action: 'facts', does: 'show the intents, as the machine sent them', on: ['hub'] },
  { keys: ['/'], action: 'search', does: 'search; Enter finds the next match', on: SCREENS },
  { keys: ['?'], action: 'help', does: 'show these keys', on: SCREENS },
  { keys: ['Ctrl-L'], action: 'redraw', does: 'redraw the screen', on: TERMINALS },
  { keys: ['Ctrl-Z'], action: 'suspend', does: 'back to the shell, until fg', on: TERMINALS },
  { keys: ['q', 'Ctrl-C'], action: 'quit', does: 'leave; verdicts are kept', on: TERMINALS },
] as const satisfies readonly KeyBinding[]

type Binding = (typeof KEYMAP)[number]

/** The actions that a surface has a key for. */
export type ActionOn<S extends Surface> = Binding extends infer Each
  ? Each extends { readonly action: infer Action; readonly on: readonly (infer On)[] }
    ? S extends On
      ? Action
      : never
    : never
  : never

/** A key of a surface, with its help. */
export interface KeyOn<S extends Surface> extends KeyBinding {
  readonly action: ActionOn<S>
}

/** The keys of a surface, in the order of its help. */
export function keysOf<S extends Surface>(surface: S): readonly KeyOn<S>[] {
  return KEYMAP.filter((each): each is Extract<Binding, { readonly action: ActionOn<S> }> =>
    each.on.some((on) => on === surface),
  ).map((each) => ({ keys: each.keys, action: each.action, on: each.on, does: describe(each, surface) }))
}

/** A hub has no questions. */
function describe({ does, question }: KeyBinding, surface: Surface): string {
  return question === undefined || surface === 'hub' ? does : `${does}; ${question}`
}
