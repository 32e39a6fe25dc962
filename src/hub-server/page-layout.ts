import { html } from 'hono/html'
import { oneLine } from '../core/printable.js'

export type Page = ReturnType<typeof html>

/** A time of the hub in UTC, such as `2026-01-31 12:00:00 UTC`. */
export function formatTime(at: string): string {
  const time = new Date(at)
  return Number.isNaN(time.getTime()) ? at : `${time.toISOString().slice(0, 19).replace('T', ' ')} UTC`
}

export function layout(title: string, body: Page, head: Page | '' = ''): Page {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${oneLine(title)}</title>
<link rel="stylesheet" href="/style.css">${head}
</head>
<body>${body}</body>
</html>
`
}
