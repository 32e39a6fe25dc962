import { useEffect, useState } from 'preact/hooks'

export type Place =
  | { readonly at: 'review'; readonly session?: string; readonly path?: string }
  | { readonly at: 'intents' | 'ledger' | 'stats' }
  | { readonly at: 'blame'; readonly path?: string }

/** Where the page is, as its address says behind the `#`. */
export function usePlace(): Place {
  const [place, setPlace] = useState(placeOf(location.hash))
  useEffect(() => {
    const look = () => setPlace(placeOf(location.hash))
    addEventListener('hashchange', look)
    return () => removeEventListener('hashchange', look)
  }, [])
  return place
}

export function addressOf(place: Place): string {
  if (place.at === 'review') return `#/review${part(place.session)}${part(place.path)}`
  return place.at === 'blame' ? `#/blame${part(place.path)}` : `#/${place.at}`
}

export function goTo(place: Place): void {
  location.hash = addressOf(place)
}

function part(text: string | undefined): string {
  return text === undefined ? '' : `/${encodeURIComponent(text)}`
}

function placeOf(hash: string): Place {
  const [at, first, second] = hash.replace(/^#\/?/, '').split('/').map(decodePart)
  if (at === 'intents' || at === 'ledger' || at === 'stats') return { at }
  if (at === 'blame') return { at, ...(first && { path: first }) }
  return { at: 'review', ...(first && { session: first }), ...(second && { path: second }) }
}

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return ''
  }
}
