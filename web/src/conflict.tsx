import { useEffect, useRef, useState } from 'preact/hooks'
import { type Block, blocksOf, type Choice, resolveBlocks } from '../../src/web/markers.js'
import type { WireText } from '../../src/web/wire.js'
import { get, post } from './api.js'
import type { Notifier } from './app.js'
import { describeError, Name, useLoaded } from './shared.js'

interface Props extends Notifier {
  readonly session: string
  readonly path: string
  readonly mark: string
  readonly kind: 'markers' | 'beside'
  readonly reload: () => Promise<void>
  readonly edit: () => void
}

/** Shows both sides of a conflict, and resolves it. */
export function Conflict({ session, path, mark, kind, notify, reload, edit }: Props) {
  const { value, error } = useLoaded(
    () => get<WireText>(`sessions/${encodeURIComponent(session)}/text`, { path, mark }),
    [mark],
  )
  const [chosen, setChosen] = useState<Readonly<Record<number, Choice>>>({})
  const region = useRef<HTMLDivElement>(null)
  const isLoaded = value !== undefined && kind === 'markers'
  // Focus the region, so that one Tab reaches the first choice.
  useEffect(() => {
    if (isLoaded && document.querySelector('dialog[open]') === null) region.current?.focus({ preventScroll: true })
  }, [isLoaded])
  if (error !== undefined)
    return (
      <p class="note bad" role="alert">
        {error}
      </p>
    )
  if (value === undefined) return <p class="loading">Loading…</p>
  if (kind === 'beside') return <SideBySide value={value} />
  const blocks = blocksOf(value.after ?? '')
  const open = blocks.filter((block, at) => block.kind === 'both' && chosen[at] === undefined).length
  const save = async () => {
    try {
      await post(`sessions/${encodeURIComponent(session)}/edit`, { path, mark, text: resolveBlocks(blocks, chosen) })
      notify('Resolved. It needs a verdict.')
    } catch (failed) {
      notify(describeError(failed), 'bad')
    }
    await reload()
  }
  return (
    <div class="conflict">
      <p class="note">The file on disk changed in the same lines. Choose for each place whose lines to keep.</p>
      <div ref={region} class="conflict-blocks" tabIndex={0} role="region" aria-label="The conflict">
        {blocks.map((block, at) =>
          block.kind === 'same' ? (
            <pre key={at} class="same">
              <Lines text={shortenMiddle(block.text)} />
            </pre>
          ) : (
            <Sides
              key={at}
              block={block}
              chosen={chosen[at]}
              choose={(choice) => setChosen({ ...chosen, [at]: choice })}
            />
          ),
        )}
      </div>
      <div class="actions">
        <span class="quiet hint">{open === 0 ? 'Every place is decided.' : `${open} left to decide`}</span>
        <button type="button" onClick={edit}>
          Edit by hand
        </button>
        <button type="button" class="main" disabled={open > 0} onClick={() => void save()}>
          Save into the stage
        </button>
      </div>
    </div>
  )
}

function Sides({
  block,
  chosen,
  choose,
}: {
  block: Extract<Block, { kind: 'both' }>
  chosen: Choice | undefined
  choose: (choice: Choice) => void
}) {
  const side = (choice: 'ours' | 'theirs', name: string, text: string) => (
    <div class={chosen === choice || chosen === 'both' ? 'side-of chosen' : 'side-of'}>
      <p class="side-name">
        <Name text={name} />
      </p>
      <pre>{text === '' ? <span class="quiet">(nothing)</span> : <Lines text={text} />}</pre>
      <button type="button" aria-pressed={chosen === choice} onClick={() => choose(choice)}>
        Take {name}’s
      </button>
    </div>
  )
  return (
    <div class="sides">
      {side('ours', block.ourName, block.ours)}
      {side('theirs', block.theirName, block.theirs)}
      <button type="button" class="both" aria-pressed={chosen === 'both'} onClick={() => choose('both')}>
        Take both
      </button>
    </div>
  )
}

function SideBySide({ value: { before, after } }: { value: WireText }) {
  return (
    <div class="conflict">
      <p class="note">
        The two versions could not be merged. Approve the change to replace the file on disk with the agent’s version,
        or discard it to keep the file on disk.
      </p>
      <div class="sides">
        <div class="side-of">
          <p class="side-name">disk</p>
          <pre>{before === undefined ? '(gone)' : <Lines text={before} />}</pre>
        </div>
        <div class="side-of">
          <p class="side-name">agent</p>
          <pre>{after === undefined ? '(removed)' : <Lines text={after} />}</pre>
        </div>
      </div>
    </div>
  )
}

/** Renders several lines of text, with hidden characters by name. */
function Lines({ text }: { text: string }) {
  return (
    <>
      {text.split('\n').map((line, at) => (
        <span key={at}>
          {at > 0 && '\n'}
          <Name text={line} />
        </span>
      ))}
    </>
  )
}

const EDGE = 3

/** Replaces the middle of a long run of unchanged lines by its number of lines. */
function shortenMiddle(text: string): string {
  const lines = text.split('\n')
  if (lines.length <= 2 * EDGE + 3) return text
  return [...lines.slice(0, EDGE), `⋯ ${lines.length - 2 * EDGE} lines ⋯`, ...lines.slice(-EDGE)].join('\n')
}
