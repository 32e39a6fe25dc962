import { useEffect, useState } from 'preact/hooks'
import type { WireRecord, WireTimeline } from '../../src/web/wire.js'
import { get, post } from './api.js'
import type { Notifier } from './app.js'
import { goTo } from './route.js'
import { ago, describeError, Empty, Name } from './shared.js'

/** Lists the ledger records, newest first. */
export function Ledger({ version, notify }: Notifier & { version: number }) {
  const [records, setRecords] = useState<readonly WireRecord[]>()
  const [next, setNext] = useState<WireTimeline['next']>()
  const [error, setError] = useState<string>()
  useEffect(() => {
    let stale = false
    get<WireTimeline>('ledger').then(
      (page) => {
        if (stale) return
        setRecords(page.records)
        setNext(page.next)
      },
      (reason: unknown) => !stale && setError(describeError(reason)),
    )
    return () => {
      stale = true
    }
  }, [version])
  const more = async () => {
    const page = await get<WireTimeline>('ledger', { ...next })
    setRecords([...(records ?? []), ...page.records])
    setNext(page.next)
  }
  const undo = async (tx: string) => {
    try {
      const { session } = await post<{ session: string }>('undo', { commit: tx })
      goTo({ at: 'review', session })
      notify(`The inverse is staged in session ${session}: review it there.`)
    } catch (failed) {
      notify(describeError(failed), 'bad')
    }
  }
  if (error !== undefined)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    )
  if (records === undefined) return <p class="loading">Loading…</p>
  if (records.length === 0) return <Empty title="The ledger is empty." />
  return (
    <div class="page">
      <h2>Ledger</h2>
      <ol class="timeline">
        {records.map((record, at) => (
          <li key={`${record.seq ?? 'x'}-${at}`} class={`event event-${record.what}`}>
            <div class="event-head">
              <span class="what">{record.what.replaceAll('_', ' ')}</span>
              {record.intentId !== undefined && <span class="flag">{record.intentId}</span>}
              {record.sessionId !== undefined && (
                <span class="quiet">
                  <Name text={record.sessionId} />
                </span>
              )}
              <time class="quiet" dateTime={record.at} title={record.at}>
                {ago(record.at)}
              </time>
              {record.what === 'commit' && record.tx !== undefined && (
                <button
                  type="button"
                  class="plain"
                  onClick={() => void undo(record.tx ?? '')}
                  aria-label={`Undo commit ${record.seq}`}
                >
                  Undo
                </button>
              )}
            </div>
            {record.about.length > 0 && (
              <p class="about">
                {record.about.map((each, index) => (
                  <>
                    {index > 0 && <span class="quiet">, </span>}
                    <code key={each}>
                      <Name text={each} />
                    </code>
                  </>
                ))}
                {record.more > 0 && <span class="quiet"> and {record.more} more</span>}
              </p>
            )}
            {(record.by !== undefined || record.why !== undefined) && (
              <p class="quiet">
                {record.by !== undefined && (
                  <>
                    by <Name text={record.by} />
                    {record.why === undefined ? '' : ': '}
                  </>
                )}
                {record.why !== undefined && <Why record={record} />}
              </p>
            )}
          </li>
        ))}
      </ol>
      {next !== undefined && (
        <button type="button" onClick={() => void more()}>
          Earlier
        </button>
      )}
    </div>
  )
}

/** The words of a person or a rule are quoted. The place of a landing is not. */
function Why({ record: { what, why = '' } }: { record: WireRecord }) {
  if (what === 'landed') return <Name text={why} />
  return (
    <q>
      <Name text={why} />
    </q>
  )
}
