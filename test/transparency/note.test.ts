import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { parseCheckpoint } from '../../src/transparency/checkpoint.js'
import {
  cosignNote,
  formatKey,
  formatNote,
  hasSigned,
  LOG_KEY,
  noteKey,
  parseKey,
  parseNote,
  signNote,
  WITNESS_KEY,
} from '../../src/transparency/note.js'
import { tilePath } from '../../src/transparency/tiles.js'

/** The example of Go's package sumdb/note: its key, its text, its signature. */
const GO_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'
const GO_TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n"
const GO_NOTE = `${GO_TEXT}
\u2014 PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=
`

describe('a signed note', () => {
  it("of Go's sumdb/note is read, and its signature is valid", () => {
    const key = parseKey(GO_KEY)
    const note = parseNote(GO_NOTE)
    expect(note?.text).toBe(GO_TEXT)
    expect(note && key && hasSigned(note, key)).toBe(true)
    expect(key && formatKey(key)).toBe(GO_KEY)
    expect(note && formatNote(note)).toBe(GO_NOTE)
    const changed = parseNote(GO_NOTE.replace('answer', 'Answer'))
    expect(changed && key && hasSigned(changed, key)).toBe(false)
  })

  it('is valid only for its key, its name and its type', () => {
    const [{ privateKey }, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')]
    const text = 'example.org/log\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n'
    const now = new Date('2026-01-01T00:00:00Z')
    const signatures = [
      signNote(text, 'example.org/log', privateKey),
      cosignNote(text, 'example.org/w', privateKey, now),
    ]
    const note = parseNote(formatNote({ text, signatures }))
    if (note === undefined) throw new Error('It is a note.')
    const isSignedBy = (name: string, type: typeof LOG_KEY | typeof WITNESS_KEY, key = privateKey) =>
      hasSigned(note, noteKey(name, type, key))
    expect(isSignedBy('example.org/log', LOG_KEY)).toBe(true)
    expect(isSignedBy('example.org/w', WITNESS_KEY)).toBe(true)
    expect(isSignedBy('example.org/log', WITNESS_KEY)).toBe(false)
    expect(isSignedBy('example.org/w', LOG_KEY)).toBe(false)
    expect(isSignedBy('example.org/x', LOG_KEY)).toBe(false)
    expect(isSignedBy('example.org/log', LOG_KEY, other.privateKey)).toBe(false)
    const later = { ...note, signatures: note.signatures.map((each) => ({ ...each, bytes: Buffer.from(each.bytes) })) }
    const [, witness] = later.signatures
    if (witness !== undefined) witness.bytes[7] = (witness.bytes[7] ?? 0) + 1
    expect(hasSigned(later, noteKey('example.org/w', WITNESS_KEY, privateKey))).toBe(false)
  })

  it.each([
    '',
    'text\n',
    'text\n\n',
    'text\n\n\u2014 name\n',
    'text\n\n\u2014 name !!!!\n',
    'text\n\n- name AAAAAAAA\n',
    GO_NOTE.slice(0, -1),
    GO_NOTE.replace('\n\n', '\n'),
  ])('is not read from %o', (text) => {
    expect(parseNote(text)).toBeUndefined()
  })

  it.each([
    GO_KEY.replace('c74f', 'c74e'),
    GO_KEY.replace('PeterNeumann', 'Peter'),
    GO_KEY.replace('+ARpc', '+AhpC'),
    'name+00000000+AA==',
    '',
  ])('has no key in %o', (text) => {
    expect(parseKey(text)).toBeUndefined()
  })
})

/** The checkpoint with a cosignature in C2SP tlog-cosignature. */
const C2SP = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

\u2014 example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
\u2014 witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==
`

describe('a checkpoint', () => {
  it('of C2SP is read', () => {
    expect(parseCheckpoint(C2SP)).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20_852_163 })
    expect(parseCheckpoint(C2SP)?.note.signatures.map(({ name }) => name)).toEqual([
      'example.com/behind-the-sofa',
      'witness.example.com/w1',
    ])
    expect(parseCheckpoint(C2SP)?.note.signatures[1]?.bytes.readBigUInt64BE(0)).toBe(1_679_315_147n)
  })

  it.each([
    C2SP.replace('20852163', '020852163'),
    C2SP.replace('20852163', '-1'),
    C2SP.replace('20852163', '9999999999999999'),
    C2SP.replace('CsUYap', 'CsUY'),
    C2SP.replace('jxq2I=', 'jxq2J='),
    C2SP.replace('example.com/behind-the-sofa\n', '\n'),
  ])('is not read from %o', (text) => {
    expect(parseCheckpoint(text)).toBeUndefined()
  })
})

it.each([
  ['tile/0/000', 0, 256],
  ['tile/0/x001/x234/067', 1_234_067, 256],
  ['tile/0/273.p/112', 273, 112],
  ['tile/0/x001/000', 1000, 256],
])('names the tile %s', (path, index, width) => {
  expect(tilePath(0, index, width)).toBe(path)
})
