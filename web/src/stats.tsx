import { oneLine } from '../../src/core/printable.js'
import type { WireStats } from '../../src/web/wire-stats.js'
import { get } from './api.js'
import { className, Empty, pluralize, useLoaded } from './shared.js'

/** Shows totals from the ledger. */
export function Stats({ version }: { version: number }) {
  const { value, error } = useLoaded(() => get<WireStats>('stats'), [version])
  if (error !== undefined)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    )
  if (value === undefined) return <p class="loading">Adding up…</p>
  const { lines, approval, rework, released } = value
  if (lines.total === 0 && approval.rate === null)
    return (
      <Empty title="Nothing to add up yet.">
        <p>Commit something first.</p>
      </Empty>
    )
  return (
    <div class="page stats">
      <h2>Stats</h2>
      <div class="rings">
        <Ring
          title="Approved"
          rate={approval.rate}
          detail={`${approval.approved} of ${pluralize(approval.approved + approval.rejected, 'path')} with a verdict`}
        />
        <Ring
          title="Changed again"
          rate={rework.rate}
          detail={`${rework.changed} of ${pluralize(rework.written, 'line')} within ${rework.days} days`}
        />
        <Ring
          title="By agents"
          rate={lines.total === 0 ? null : lines.ai / lines.total}
          detail={`${lines.ai} of ${pluralize(lines.total, 'current line')}`}
        />
      </div>
      <div class="all-bars">
        <Bars title="Changes by who released them" counts={releasedBars(released)} />
        <Bars title="Lines by intent" counts={lines.byIntent} />
        <Bars title="Lines by class" counts={byClassName(lines.byClass)} />
        <Bars title="Lines by model" counts={lines.byModel} />
        <Bars title="Lines by writer" counts={{ agents: lines.ai, people: lines.human, unknown: lines.unknown }} />
      </div>
    </div>
  )
}

function byClassName(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).map(([name, count]) => [className(name), count]))
}

/** Shows nothing if no rule has released anything, because then people released all changes. */
function releasedBars({ byPeople, byTier }: WireStats['released']): Readonly<Record<string, number>> {
  const tiers = Object.entries(byTier)
  if (tiers.length === 0) return {}
  const rows = [['people', byPeople] as const, ...tiers.map(([name, counts]) => [`rule ${name}`, counts] as const)]
  return Object.fromEntries(
    rows.map(([name, { changes, undone }]) => [
      undone === 0 ? name : `${name}, ${pluralize(undone, 'commit')} undone`,
      changes,
    ]),
  )
}

const CIRCUMFERENCE = 2 * Math.PI * 42

function Ring({ title, rate, detail }: { title: string; rate: number | null; detail: string }) {
  const percent = rate === null ? '–' : `${Math.round(rate * 100)} %`
  return (
    <figure class="ring">
      <svg viewBox="0 0 100 100" role="img" aria-label={`${title}: ${percent}, ${detail}`}>
        <circle class="ring-track" cx="50" cy="50" r="42" />
        <circle
          class="ring-value"
          cx="50"
          cy="50"
          r="42"
          stroke-dasharray={`${(rate ?? 0) * CIRCUMFERENCE} ${CIRCUMFERENCE}`}
          transform="rotate(-90 50 50)"
        />
        <text x="50" y="56" text-anchor="middle">
          {percent}
        </text>
      </svg>
      <figcaption>
        <b>{title}</b>
        <span class="quiet">{detail}</span>
      </figcaption>
    </figure>
  )
}

const BAR = 38
const MAX_BARS = 12

function Bars({ title, counts }: { title: string; counts: Readonly<Record<string, number>> }) {
  const rows = Object.entries(counts)
    .filter(([, count]) => count > 0)
    .slice(0, MAX_BARS)
  if (rows.length === 0) return null
  const most = Math.max(...rows.map(([, count]) => count))
  return (
    <section class="bars">
      <h3>{title}</h3>
      <svg
        width="100%"
        height={rows.length * BAR}
        role="img"
        aria-label={`${title}: ${rows.map(([name, count]) => `${name} ${count}`).join(', ')}`}
      >
        {rows.map(([name, count], at) => (
          <g key={name} transform={`translate(0 ${at * BAR})`}>
            <text class="bar-name" x="0" y="13">
              <Label text={name} />
            </text>
            <text class="bar-count" x="100%" y="13" text-anchor="end">
              {count.toLocaleString('en')}
            </text>
            <rect class="bar-track" y="19" width="100%" height="8" rx="4" />
            <rect class="bar-value" y="19" width={`${(100 * count) / most}%`} height="8" rx="4" />
          </g>
        ))}
      </svg>
    </section>
  )
}

const LABEL = 40

function Label({ text }: { text: string }) {
  const words = oneLine(text).replaceAll('_', ' ')
  const short = words.length > LABEL ? `${words.slice(0, LABEL)}…` : words
  return <>{/[A-Z]{4}/.test(short) && !/\d/.test(short) ? short.toLowerCase() : short}</>
}
