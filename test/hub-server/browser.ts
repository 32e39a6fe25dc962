/**
 * Simulates a browser's cookies, redirects and forms, as far as a sign-in depends on them. Each origin is a separate
 * site.
 */

interface Cookie {
  readonly value: string
  readonly isStrict: boolean
  readonly path: string
}

export interface Seen {
  readonly status: number
  readonly url: string
  readonly text: string
  /** Every address on the way, including the last one. */
  readonly way: readonly string[]
}

export interface Visit {
  /** Sent by POST. */
  readonly form?: Readonly<Record<string, string>>
  /** The page with the link or the form. Undefined: the person typed the address. */
  readonly from?: string
  /** The last address of the way, which is not opened. */
  readonly stopAt?: string
}

export class Browser {
  readonly cookies = new Map<string, Map<string, Cookie>>()

  /** Opens an address, and follows redirects, also those within a page. */
  async open(address: string, visit: Visit = {}): Promise<Seen> {
    let [url, form, from] = [new URL(address), visit.form, visit.from]
    const way: string[] = []
    for (let isForeign = false; ; ) {
      way.push(url.href)
      if (visit.stopAt !== undefined && url.href.startsWith(visit.stopAt))
        return { status: 0, url: url.href, text: '', way }
      isForeign ||= from !== undefined && new URL(from).origin !== url.origin
      const response = await this.#fetch(url, isForeign, form, from)
      const text = await response.text()
      const [next, isOwn] = [
        response.headers.get('location'),
        /http-equiv="refresh" content="0; url=([^"]*)"/.exec(text),
      ]
      if (next === null && isOwn === null) return { status: response.status, url: url.href, text, way }
      // A refresh within a page belongs to the page; a redirect belongs to the initiator of the first request.
      if (next === null) isForeign = false
      from = url.href
      form = undefined
      url = new URL(next ?? isOwn?.[1] ?? '', url)
    }
  }

  cookie(address: string, name: string): string | undefined {
    return this.cookies.get(new URL(address).origin)?.get(name)?.value
  }

  #fetch(url: URL, isForeign: boolean, form: Visit['form'], from: string | undefined): Promise<Response> {
    const sent = [...(this.cookies.get(url.origin) ?? [])].filter(
      ([, { isStrict, path }]) => url.pathname.startsWith(path) && !(isStrict && isForeign),
    )
    const headers = new Headers({ cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; ') })
    if (form !== undefined && from !== undefined) headers.set('origin', new URL(from).origin)
    const init = form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }
    return fetch(url, Object.assign({ headers, redirect: 'manual' as const }, init)).then((response) => {
      for (const line of response.headers.getSetCookie()) this.#keep(url, line)
      return response
    })
  }

  #keep({ origin }: URL, line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    const jar = this.cookies.get(origin) ?? new Map<string, Cookie>()
    this.cookies.set(origin, jar)
    const path = /;\s*path=([^;]*)/i.exec(line)?.[1] ?? '/'
    if (value === '' || /max-age=0/i.test(line)) jar.delete(name)
    else jar.set(name, { value, isStrict: /samesite=strict/i.test(line), path })
  }
}
