import { html } from 'hono/html'

export type Page = ReturnType<typeof html>

export function layout(title: string, body: Page, head: Page | '' = ''): Page {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="stylesheet" href="/style.css">${head}
</head>
<body>${body}</body>
</html>
`
}
