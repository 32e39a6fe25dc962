import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Dialog } from './shared.js'

interface Props {
  readonly title: string
  readonly yes: string
  readonly no?: string
  readonly kind?: 'main' | 'bad'
  readonly close: () => void
  readonly confirm: () => void
  readonly children?: ComponentChildren
}

/** Asks for a confirmation. Enter or `y` confirms, Esc or `n` cancels. */
export function Ask({ title, yes, no = 'Cancel', kind = 'main', close, confirm, children }: Props) {
  const button = useRef<HTMLButtonElement>(null)
  useLayoutEffect(() => button.current?.focus(), [])
  return (
    <Dialog title={title} close={close}>
      <div
        class="ask-body"
        onKeyDown={({ key, ctrlKey, metaKey, altKey }) => {
          if (ctrlKey || metaKey || altKey) return
          if (key === 'y') confirm()
          if (key === 'n') close()
        }}
      >
        {children}
        <div class="actions">
          <button type="button" onClick={close}>
            {no}
          </button>
          <button ref={button} type="button" class={kind} onClick={confirm}>
            {yes}
          </button>
        </div>
      </div>
    </Dialog>
  )
}
