import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { readCookie, removeCookie, writeCookie } from '../../src/hub-server/sign-in-cookies.js'

it('with TLS, no other host of the domain can set or read a cookie', async () => {
  const settings = { url: 'https://hub.example.com' }
  const app = new Hono()
  app.get('/', (c) => {
    const before = readCookie(c, settings, 'session') ?? 'none'
    if (before === 'none') writeCookie(c, settings, 'session', 'value')
    else removeCookie(c, settings, 'session')
    return c.text(before)
  })
  const set = await app.request('/')
  expect(set.headers.get('set-cookie')).toBe(
    '__Host-escrow-hub-session=value; Path=/; HttpOnly; Secure; SameSite=Strict',
  )
  expect(await (await app.request('/', { headers: { cookie: 'escrow-hub-session=forged' } })).text()).toBe('none')
  const again = await app.request('/', { headers: { cookie: '__Host-escrow-hub-session=value' } })
  expect(await again.text()).toBe('value')
  expect(again.headers.get('set-cookie')).toMatch(/^__Host-escrow-hub-session=; Max-Age=0; Path=\/; Secure/)
})
