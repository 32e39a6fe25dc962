import { afterEach, beforeEach, expect, it } from 'vitest'
import { type OverlayBench, overlayOver, p } from './bench.js'

let bench: OverlayBench
beforeEach(() => {
  bench = overlayOver({})
})
afterEach(() => bench.dispose())

it('a put at an offset creates a file with zeros before it', () => {
  bench.overlay.put(p('new'), Buffer.from('xy'), { at: 3 })
  expect(bench.overlay.read(p('new'))).toEqual(Buffer.from('\0\0\0xy'))
})
