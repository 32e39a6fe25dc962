import { describe, expect, it } from 'vitest'
import { renderStaticReview } from '../../src/web/index.js'
import { testWorkspace } from '../support/workspace.js'
import { FILES, INTENTS, openAgent, runAgent } from './scene.js'

/** The exported page: its texts, and that nothing an agent wrote becomes markup. */

async function page(intents = INTENTS, work?: (at: string, session: Awaited<ReturnType<typeof openAgent>>) => void) {
  const project = testWorkspace({ ...FILES, '.orchestration/active_intents.yaml': intents }, '')
  const workspace = await project.open()
  const session = await openAgent(workspace)
  await runAgent(project.root, session)
  work?.(project.root, session)
  await session.flush()
  const review = await workspace.review(session.id)
  return { review, workspace, render: () => renderStaticReview(workspace, review, ['0001-Prices & more.patch']) }
}

/** The elements and attributes of a page. */
function markupOf(html: string): { tags: Set<string>; attributes: Set<string> } {
  const [tags, attributes] = [new Set<string>(), new Set<string>()]
  for (const [, name = '', rest = ''] of html.matchAll(/<([a-zA-Z][^\s>/]*)((?:[^>"]|"[^"]*")*)>/g)) {
    tags.add(name)
    for (const [, attribute = ''] of rest.matchAll(/([^\s="]+)(?:="[^"]*")?/g)) attributes.add(attribute)
  }
  return { tags, attributes }
}

const TAGS =
  'html head meta title style body header h1 h2 p span section ul li details summary code pre a nav main table tbody tr td div footer'
const ATTRIBUTES = 'lang charset name content http-equiv class id href aria-label open'

describe('the exported page', () => {
  it('shows the changes by risk, with facts, verdicts, lines and the agent’s intent', async () => {
    const { review, render } = await page()
    await review.changes()
    await review.approve('docs/**', { name: 'Ann' })
    const html = await render()
    expect(html).toContain('<h2>INT-007 Prices in cents</h2>')
    expect(html).toContain('<span class="state approved">1 approved</span>')
    expect(html).toMatch(/<tr class="plus">.*Prices are .*<span class="word">integers, in cents<\/span>/)
    expect(html).toContain('not ticked</span> Totals of a cart add up to the cent')
    expect(html).toContain('This is a binary file, so it has no lines to show.')
    expect(html).toContain('href="0001-Prices%20%26%20more.patch">0001-Prices &amp; more.patch</a>')
    for (const [, anchor] of html.matchAll(/href="#([^"]+)"/g)) expect(html).toContain(`id="${anchor}"`)
  })

  it('escapes every text', async () => {
    const evil = '</style><script>alert(1)</script><img src=x onerror="alert(1)">&lt;'
    const intents = INTENTS.replace('Prices in cents', JSON.stringify(evil)).replace(
      'Money is integers',
      JSON.stringify(evil),
    )
    const { render } = await page(intents, (root, { fs }) => {
      fs.writeFileSync(`${root}/src/${evil.replaceAll('/', '-')}.ts`, `${evil}\n\u202eevil\n`)
      fs.writeFileSync(`${root}/src/cart.ts`, `const a = "${evil}"\n`)
    })
    const { tags, attributes } = markupOf(await render())
    expect([...tags].filter((tag) => !TAGS.split(' ').includes(tag))).toEqual([])
    expect([...attributes].filter((name) => !ATTRIBUTES.split(' ').includes(name))).toEqual([])
    expect(await render()).toContain('<span class="t-hidden">')
  })

  it('has no script, and forbids every request', async () => {
    const html = await (await page()).render()
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(html).not.toMatch(/<script|\bsrc=|@import|url\(/)
  })

  it('truncates a very long diff, and says where the rest is', async () => {
    const { render } = await page(INTENTS, (root, { fs }) => {
      fs.writeFileSync(`${root}/src/cart.ts`, Array.from({ length: 6_000 }, (_, n) => `line ${n}\n`).join(''))
    })
    expect(await render()).toMatch(/<p class="quiet">\d+ more lines are in the patches\.<\/p>/)
  })
})
