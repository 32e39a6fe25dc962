import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AllowedHosts, parseAddress } from '../../src/core/allowed-hosts.js'

function isAllowed(entries: readonly string[], text: string): boolean {
  const address = parseAddress(text)
  return address !== undefined && new AllowedHosts(entries).has(address)
}

describe('allowed hosts', () => {
  it.each([
    ['api.example.com', 'api.example.com:443', true],
    ['api.example.com', 'API.Example.COM:443', true],
    ['api.example.com', 'api.example.com.:443', true],
    ['api.example.com', 'api.example.com:80', true],
    ['api.example.com', 'api.example.com:22', false],
    ['api.example.com', 'xapi.example.com:443', false],
    ['api.example.com', 'api.example.com.evil.net:443', false],
    ['api.example.com', 'x.api.example.com:443', false],
    ['api.example.com:8443', 'api.example.com:8443', true],
    ['api.example.com:8443', 'api.example.com:443', false],
    ['*.example.com', 'a.example.com:443', true],
    ['*.example.com', 'a.b.example.com:443', true],
    ['*.example.com', 'example.com:443', false],
    ['*.example.com', 'badexample.com:443', false],
    ['127.0.0.1:4000', '127.0.0.1:4000', true],
    ['127.0.0.1:4000', '127.0.0.1:4001', false],
    ['[::1]:4000', '[::1]:4000', true],
    ['localhost:1', 'localhost:1', true],
  ])('%s: %s is %s', (entry, text, expected) => {
    expect(isAllowed([entry], text)).toBe(expected)
  })

  it.each(['', '*', '*.', '*.com', '*.10.0.0.1', 'http://a.b', 'a b', 'a/b', 'a@b', 'a.*.b', 'a:0', 'a:99999', 'a:b'])(
    'refuses the entry %j',
    (entry) => {
      expect(() => new AllowedHosts([entry])).toThrow(TypeError)
    },
  )

  it('reads no address with a user, a path or without a port', () => {
    for (const text of ['a.b@c.d:443', 'a.b:443/x', 'a.b', ':443', 'a.b:443:443', '[::1', '::1:443'])
      expect(parseAddress(text)).toBeUndefined()
  })

  it('lets a wildcard match no private address, and an exact name any', () => {
    const allowed = new AllowedHosts(['*.example.com', 'intern.example.net'])
    const at = (host: string) => ({ host, port: 443 })
    for (const ip of [
      '127.0.0.1',
      '10.1.2.3',
      '169.254.169.254',
      '192.168.0.1',
      '::1',
      'fe80::1',
      '::ffff:127.0.0.1',
      'fd00::1',
    ])
      expect([ip, allowed.mayResolveTo(at('a.example.com'), ip)]).toEqual([ip, false])
    expect(allowed.mayResolveTo(at('a.example.com'), '93.184.215.14')).toBe(true)
    expect(allowed.mayResolveTo(at('intern.example.net'), '10.1.2.3')).toBe(true)
  })

  it.each([
    [['example.com'], 'example.com', true],
    [['example.com'], 'example.com:443', true],
    [['example.com:443'], 'example.com', false],
    [['example.com:443', 'example.com:80'], 'example.com', true],
    [['*.example.com'], 'a.example.com', true],
    [['*.example.com'], '*.example.com', true],
    [['*.example.com'], '*.b.example.com', true],
    [['*.b.example.com'], '*.example.com', false],
    [['example.com'], '*.example.com', false],
    [['*.example.com'], 'example.com', false],
  ])('%j cover %s: %s', (entries, entry, expected) => {
    expect(new AllowedHosts(entries).covers(entry)).toBe(expected)
  })

  it('allows nothing that is not the entry itself or below a wildcard', () => {
    const label = fc.stringMatching(/^[a-z0-9]{1,5}$/)
    fc.assert(
      fc.property(
        fc.array(label, { minLength: 2, maxLength: 4 }),
        fc.array(label, { minLength: 1, maxLength: 5 }),
        (a, b) => {
          const [entry, host] = [a.join('.'), b.join('.')]
          expect(isAllowed([entry], `${host}:443`)).toBe(host === entry)
          expect(isAllowed([`*.${entry}`], `${host}:443`)).toBe(host !== entry && host.endsWith(`.${entry}`))
        },
      ),
    )
  })
})
