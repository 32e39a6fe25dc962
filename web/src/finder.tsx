import type { RefObject } from 'preact'
import { FILTERS, type Filter, type ListOrder, ORDERS } from './changes.js'
import { keyOf } from './keys.js'

interface Props {
  readonly field: RefObject<HTMLInputElement | null>
  readonly find: string
  readonly setFind: (find: string) => void
  /** Moves to the next (1) or previous (-1) match. */
  readonly enter: (by: 1 | -1) => void
  readonly filter: Filter
  readonly setFilter: (filter: Filter) => void
  readonly order: ListOrder
  readonly setOrder: (order: ListOrder) => void
}

/** The search, the filter and the order of the list. */
export function Finder({ field, find, setFind, enter, filter, setFilter, order, setOrder }: Props) {
  return (
    <div class="finder">
      <input
        ref={field}
        type="search"
        aria-label="Search in names and diffs"
        placeholder={`Search in names and diffs ( ${keyOf('search')} )`}
        title="Enter goes to the next match, Shift+Enter to the one before, Esc ends the search"
        value={find}
        onInput={(event) => setFind(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') enter(event.shiftKey ? -1 : 1)
          if (event.key !== 'Escape') return
          setFind('')
          event.currentTarget.blur()
        }}
      />
      <select
        aria-label="Which files are listed"
        value={filter}
        onChange={(event) => {
          const chosen = Object.keys(FILTERS).find((name): name is Filter => name === event.currentTarget.value)
          if (chosen !== undefined) setFilter(chosen)
        }}
      >
        {Object.entries(FILTERS).map(([name, words]) => (
          <option key={name} value={name}>
            {words}
          </option>
        ))}
      </select>
      <div class="choice" role="group" aria-label="Order of the list">
        {(['step', 'file', 'risk'] as const).map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={order === each}
            title={`List by ${each} (${keyOf('view')} switches)`}
            onClick={() => setOrder(each)}
          >
            {ORDERS[each]}
          </button>
        ))}
      </div>
    </div>
  )
}
