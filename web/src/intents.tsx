import type { WireIntent } from '../../src/web/wire.js'
import { Empty, Name } from './shared.js'

export function Intents({ intents }: { intents: readonly WireIntent[] }) {
  if (intents.length === 0)
    return (
      <Empty title="No intent is declared.">
        <p>
          An agent writes nothing without one: <code>escrow intents add</code>.
        </p>
      </Empty>
    )
  return (
    <div class="page">
      <h2>Intents</h2>
      <p class="quiet">
        This page only shows them. <code>escrow intents add</code> declares one, <code>escrow intents --help</code>{' '}
        lists the other commands.
      </p>
      <ul class="cards">
        {intents.map((intent) => (
          <li key={intent.id} class="card">
            <p class="card-head">
              <b>{intent.id}</b>
              <span class={`status status-${intent.status.toLowerCase()}`}>
                {intent.status.toLowerCase().replaceAll('_', ' ')}
              </span>
            </p>
            <h3>
              <Name text={intent.name} />
            </h3>
            <Listed title="Scope" items={intent.scope} code />
            <Listed title="Constraints" items={intent.constraints} />
            <Listed title="Done when" items={intent.criteria} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function Listed({ title, items, code = false }: { title: string; items: readonly string[]; code?: boolean }) {
  if (items.length === 0) return null
  return (
    <div class="listed">
      <h4>{title}</h4>
      <ul>
        {items.map((item) => (
          <li key={item}>
            {code ? (
              <code>
                <Name text={item} />
              </code>
            ) : (
              <Name text={item} />
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
