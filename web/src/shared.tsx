import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { printableParts } from '../../src/core/printable.js'
import type { Piece } from '../../src/web/wire.js'
import { RequestError } from './api.js'
import { hrefOf } from './route.js'

/** Renders a name, with hidden characters by name. */
export function Name({ text }: { text: string }) {
  const parts = printableParts(text.replace(/[\t\n]/g, (each) => (each === '\t' ? '^I' : '^J')))
  return (
    <>
      {parts.map((part, at) =>
        part.hidden ? (
          <b key={at} class="hidden-char" title="a hidden character">
            {part.text}
          </b>
        ) : (
          part.text
        ),
      )}
    </>
  )
}

/** Renders a path, with the directory in a quiet colour. */
export function Path({ path, from }: { path: string; from?: string | undefined }) {
  const cut = path.lastIndexOf('/') + 1
  return (
    <span class="path">
      {from !== undefined && (
        <>
          <span class="quiet">
            <Name text={from} />
          </span>
          <span class="arrow"> → </span>
        </>
      )}
      <span class="quiet">
        <Name text={path.slice(0, cut)} />
      </span>
      <span class="leaf">
        <Name text={path.slice(cut)} />
      </span>
    </span>
  )
}

/** Renders a line of code in the server's colours. */
export function Code({ pieces }: { pieces: readonly Piece[] }) {
  return (
    <>
      {pieces.map((piece, at) => {
        if (typeof piece === 'string') return piece
        const [text, kind, changed] = piece
        const name = `${kind === 'hidden' ? 'hidden-char' : kind === '' ? '' : `t-${kind.replace(/[^a-z_-]/g, '')}`}${changed ? ' word' : ''}`
        return (
          <span key={at} class={name}>
            {text}
          </span>
        )
      })}
    </>
  )
}

export function Flag({ flag }: { flag: string }) {
  const grave = ['class-disagrees', 'conflict', 'out-of-scope', 'protected', 'drifted', 'verdict-void'].includes(flag)
  return <span class={grave ? 'flag grave' : 'flag'}>{FLAGS[flag] ?? <Name text={flag} />}</span>
}

const FLAGS: Readonly<Record<string, string>> = {
  'class-disagrees': 'class disagrees',
  'out-of-scope': 'out of scope',
  'verdict-void': 'changed since its verdict',
  drifted: 'changed on disk',
  'hard-link': 'hard link',
  'type-changed': 'type changed',
}

const CLASSES: Readonly<Record<string, string>> = {
  AST_REFACTOR: 'refactoring',
  INTENT_EVOLUTION: 'more than refactoring',
  UNVERIFIED: 'not measured',
}

/** A class of changes in plain words. */
export function className(name: string): string {
  return CLASSES[name] ?? name.toLowerCase().replaceAll('_', ' ')
}

/** Loads a value again whenever a key changes. The last value stays until the next one arrives. */
export function useLoaded<T>(load: () => Promise<T>, keys: readonly unknown[]): { value?: T; error?: string } {
  const [state, setState] = useState<{ value?: T; error?: string }>({})
  useEffect(() => {
    let stale = false
    load().then(
      (value) => !stale && setState({ value }),
      (error: unknown) => !stale && setState((last) => ({ ...last, error: describeError(error) })),
    )
    return () => {
      stale = true
    }
  }, keys)
  return state
}

export function describeError(error: unknown): string {
  if (!(error instanceof RequestError)) return error instanceof Error ? error.message : String(error)
  const { message, hint, refused = [] } = error.failure
  return [
    message,
    ...refused.filter((each) => !message.includes(each.message)).map((each) => `${each.path}: ${each.message}`),
    hint ?? '',
  ]
    .filter(Boolean)
    .join('\n')
}

/** A modal dialog. The browser keeps the focus in it, and restores it. Esc calls `close`, which may ask first. */
export function Dialog({ title, close, children }: { title: string; close: () => void; children: ComponentChildren }) {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    ref.current?.showModal()
    // The focused button may be at the end of a long text, so scroll back to the top.
    ref.current?.scrollTo(0, 0)
  }, [])
  return (
    <dialog
      ref={ref}
      aria-labelledby="dialog-title"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        close()
      }}
      onMouseDown={(event) => event.target === ref.current && close()}
    >
      <div class="sheet">
        <h2 id="dialog-title">{title}</h2>
        {children}
      </div>
    </dialog>
  )
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <p class="empty-title">
        <Name text={title} />
      </p>
      {children}
    </div>
  )
}

/** Shown for an address that names nothing. */
export function Missing({ title }: { title: string }) {
  return (
    <Empty title={title}>
      <p>
        <a href={hrefOf({ at: 'review' })}>Back to the list of changes</a>
      </p>
    </Empty>
  )
}

/** Formats a time as `just now`, `5 min ago`, or the date. */
export function ago(at: string | undefined): string {
  if (at === undefined) return ''
  const minutes = Math.floor((Date.now() - Date.parse(at)) / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes} min ago`
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)} h ago` : at.slice(0, 10)
}

export function pluralize(count: number, noun: string): string {
  return `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`
}
