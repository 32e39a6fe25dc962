import fc from 'fast-check'
import ts from 'typescript'
import { expect, it } from 'vitest'
import { classify } from '../../src/change-class/classify.js'
import { fuzzParameters } from '../support/fuzz.js'
import { PAIRS } from './pairs/index.js'

/** Lines whose end has more meaning than it seems. */
const HARD = [
  'a\n(b)\n[c]\n`d`\n/e/g\n+f\n-g\n*h\n',
  'let x\nlet y = async\nfunction z() {}\nx = y\n++z\n',
  'function* f(a) { return\na\nyield\na\nthrow a\nbreak_\n}\n',
  'class A {\n  get\n  a() {}\n  b\n  c = 1\n  d\n  static\n  e = f\n}\n',
  'class A {\n  get;\n  a() {}\n  static;\n  b = 1;\n  [c] = 2;\n  *d() {}\n  async;\n  e() {}\n}\n',
  'for (let i = 0; i < 1; i++) a()\nwhile (b) c()\nif (d) e()\nelse f()\ndo g()\nwhile (h) i()\n',
  'f(a, (b, c), [d,, e], [,], { g, h: (i) }, ...(j))\n',
  'x => y\nz((a) => (b))\nw(({ c }) => ({ c }))\nasync d => e\nv = (a?.b).c\nu = (a?.b)?.(c)\n',
  "'use strict'\nconst a = 'b\"c', d = \"e'f\", g = '\\'', h = `'`\n",
  'switch (a) { case b: c(); break\ncase (d): return_\ndefault: e() }\nl: for (;;) { continue l\n}\n',
  'const a = b\nconst c = d\nif (a) {} else {}\nc\nin\na\na\ninstanceof\nc\n',
  'const e = function () {}\n;(f)\nconst g = () => {}\n;[h]\ng\n',
]
const TYPED = [
  'type A = | B | C\ninterface D { a: E, b(): F; c?: G\nnew (i: H): I;\n[j: string]: K }\n',
  'type\nA = B\ndeclare\nconst c: D\nabstract\nclass E {}\nnamespace\nf\nlet g = h as\nI\nlet j = k satisfies L\n',
  'const a: Array<Array<B> > = (c as D)\nconst e = <F,>(g: F) => (g)\nenum H { I, J = 1, }\nclass K<L,> { private readonly m?: N\n#o = 1\n}\n',
]

const CORPUS = [
  ...HARD.flatMap((text) => ['a.mjs', 'a.ts'].map((path) => ({ path, text }))),
  ...TYPED.map((text) => ({ path: 'a.ts', text })),
  ...PAIRS.filter(({ path }) => /\.(?:ts|mjs)$/.test(path)).flatMap(({ path, before, after }) => [
    { path, text: before },
    { path, text: after },
  ]),
]

const MARKS = [';', '\n', ',', '(', ')', ' ', '"', "'", '|', '\n;', ',\n']

const edit = fc.record({
  at: fc.nat(),
  mark: fc.constantFrom(...MARKS),
  how: fc.constantFrom('put', 'take', 'quote', 'wrap'),
})

/** One change of the kind that formatters make, anywhere. */
function applyEdit(text: string, { at, mark, how }: { at: number; mark: string; how: string }): string {
  const places = [...text.matchAll(how === 'take' ? /[;,\n()|]/g : how === 'quote' ? /["']/g : /\b|(?<=[)\]}])|$/g)]
  const index = places[at % Math.max(1, places.length)]?.index ?? 0
  if (how === 'take') return text.slice(0, index) + text.slice(index + 1)
  if (how === 'put') return text.slice(0, index) + mark + text.slice(index)
  const end = how === 'wrap' ? (places[(at % Math.max(1, places.length)) + 1]?.index ?? index) : index + 1
  if (how === 'wrap') return `${text.slice(0, index)}(${text.slice(index, end)})${text.slice(end)}`
  return text.slice(0, index) + (text[index] === '"' ? "'" : '"') + text.slice(index + 1)
}

/** Another parser's result: kinds and values, without brackets. But `(a?.b).c` throws where `a?.b.c` does not. */
function compiledText(path: string, text: string): string | undefined {
  const transpiled = ts.transpileModule(text, {
    fileName: path,
    reportDiagnostics: true,
    compilerOptions: { target: ts.ScriptTarget.ESNext },
  })
  if ((transpiled.diagnostics ?? []).length > 0) return undefined
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.ESNext, true)
  const parts: string[] = []
  const visit = (node: ts.Node): void => {
    const isFrame = ts.isParenthesizedExpression(node) ? !ts.isOptionalChain(node.expression) : isUnionOfOne(node)
    if (isFrame) {
      ts.forEachChild(node, visit)
      return
    }
    const text = ts.isIdentifier(node) || ts.isLiteralExpression(node) || ts.isPrivateIdentifier(node) ? node.text : ''
    parts.push(`(${node.kind} ${JSON.stringify(text)}`)
    ts.forEachChild(node, visit)
    parts.push(')')
  }
  visit(file)
  return parts.join('')
}

/** `| A`. */
function isUnionOfOne(node: ts.Node): boolean {
  return ts.isUnionTypeNode(node) && node.types.length === 1
}

it('another parser reads layout changes as equal', async () => {
  const counts = { all: 0, layout: 0 }
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...CORPUS),
      fc.array(edit, { minLength: 1, maxLength: 3 }),
      async (file, edits) => {
        const after = edits.reduce(applyEdit, file.text)
        const found = await classify({ path: file.path, before: Buffer.from(file.text), after: Buffer.from(after) })
        if (found.class !== 'AST_REFACTOR' || found.rule !== 'layout') return
        const [one, other] = [compiledText(file.path, file.text), compiledText(file.path, after)]
        counts.all++
        if (one === undefined || other === undefined) return
        counts.layout++
        expect(other, `${JSON.stringify(file.text)} => ${JSON.stringify(after)}`).toBe(one)
      },
    ),
    fuzzParameters(5000),
  )
  expect(counts.layout).toBeGreaterThan(100)
})
