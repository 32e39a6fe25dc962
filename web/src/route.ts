import { useLayoutEffect, useState } from 'preact/hooks'

export type Route =
  | { readonly at: 'review'; readonly session?: string; readonly path?: string }
  | { readonly at: 'intents' | 'ledger' | 'stats' }
  | { readonly at: 'blame'; readonly path?: string }
  /** An address of no view. */
  | { readonly at: 'missing'; readonly name: string }

/** The current view, from the fragment of the address. */
export function useRoute(): Route {
  const [route, setPlace] = useState(parseHash(location.hash))
  useLayoutEffect(() => {
    const update = () => setPlace(parseHash(location.hash))
    addEventListener('hashchange', update)
    return () => removeEventListener('hashchange', update)
  }, [])
  return route
}

export function hrefOf(route: Route): string {
  if (route.at === 'review') return `#/review${part(route.session)}${part(route.path)}`
  if (route.at === 'missing') return `#${part(route.name)}`
  return route.at === 'blame' ? `#/blame${part(route.path)}` : `#/${route.at}`
}

/** Shows a view at once: the browser's own event comes later, and a key pressed until then would act on the old view. */
export function goTo(route: Route): void {
  const href = hrefOf(route)
  if (href === location.hash) return
  history.pushState(null, '', href)
  dispatchEvent(new HashChangeEvent('hashchange'))
}

function part(text: string | undefined): string {
  return text === undefined ? '' : `/${encodeURIComponent(text)}`
}

function parseHash(hash: string): Route {
  const [at = '', first, second] = hash.replace(/^#\/?/, '').split('/').map(decodePart)
  if (at === 'intents' || at === 'ledger' || at === 'stats') return { at }
  if (at === 'blame') return { at, ...(first && { path: first }) }
  if (at !== '' && at !== 'review') return { at: 'missing', name: at }
  return { at: 'review', ...(first && { session: first }), ...(second && { path: second }) }
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
