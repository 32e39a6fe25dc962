import { describe, expect, it } from 'vitest'
import { allBlocks } from './all-blocks.js'

/** The allowed forms of a diagram line. A subset of Mermaid's, because only these were checked in a browser. */
const WORD = String.raw`[A-Za-z]\w*`
const TEXT = String.raw`[^"\[\](){};#|]+`
const NODE = String.raw`${WORD}(?:\[${TEXT}\]|\(\[${TEXT}\]\)|\{${TEXT}\})?`
const FORMS: Readonly<Record<string, RegExp>> = {
  'stateDiagram-v2': new RegExp(
    `^(?:state "${TEXT}" as ${WORD}|(?:\\[\\*\\]|${WORD}) --> (?:\\[\\*\\]|${WORD})(?:: ${TEXT})?)$`,
  ),
  'flowchart TD': new RegExp(`^(?:${NODE} (?:--> |-- ${TEXT} --> )${NODE}|subgraph ${WORD}\\[${TEXT}\\]|end)$`),
  sequenceDiagram: new RegExp(
    `^(?:participant ${WORD} as ${TEXT}|${WORD}--?>>${WORD}: [^;#]+|Note over ${WORD}: [^;#]+|(?:alt|else) ${TEXT}|end)$`,
  ),
}

const diagrams = allBlocks().filter(({ language }) => language === 'mermaid')

describe('the diagrams', () => {
  it.each(diagrams.map((each) => [`${each.document}:${each.line}`, each.text]))('%s renders', (_, text) => {
    const [kind = '', ...lines] = text.trimEnd().split('\n')
    const form = FORMS[kind]
    expect([kind, form === undefined]).toEqual([kind, false])
    expect(lines.map((line) => line.trim()).filter((line) => form?.test(line) === false)).toEqual([])
  })

  it('have a way into every state', () => {
    for (const { document, text } of diagrams.filter((each) => each.text.startsWith('stateDiagram'))) {
      const arrows = [...text.matchAll(/^ +(\S+) --> ([^\s:]+)/gm)]
      const reached = new Set(arrows.map(([, , to]) => to))
      expect([document, arrows.map(([, from]) => from).filter((from) => from !== '[*]' && !reached.has(from))]).toEqual(
        [document, []],
      )
    }
  })
})
