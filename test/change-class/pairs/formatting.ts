import { pairsOf } from './pair.js'

/** Choices of formatters, and changes that only look like them. */
export const formatting = [
  ...pairsOf('src/format.ts', {
    refactor: [
      [
        'semicolons at the ends of statements',
        'const a = f()\na.b()\nexport const c = a\n',
        'const a = f();\na.b();\nexport const c = a;\n',
      ],
      [
        'semicolons after imports and types',
        'import { a } from "a"\ntype B = typeof a\nexport type { B }\n',
        'import { a } from "a";\ntype B = typeof a;\nexport type { B };\n',
      ],
      [
        'semicolons after fields',
        'class A {\n  a = 1\n  b?: string\n  c() {}\n}\n',
        'class A {\n  a = 1;\n  b?: string;\n  c() {}\n}\n',
      ],
      ['the last statement of a block', 'if (a) { b(); }\n', 'if (a) { b() }\n'],
      ['other quotes', 'const a = "b", c = "d\\n"\n', "const a = 'b', c = 'd\\n'\n"],
      ['the quotes of a directive', '"use strict"\nf()\n', "'use strict'\nf()\n"],
      ['a trailing comma', 'f(a, [b], { c })\n', 'f(\n  a,\n  [b,],\n  { c, },\n)\n'],
      ['a trailing comma of parameters', 'function f(a: B, c?: D) {}\n', 'function f(\n  a: B,\n  c?: D,\n) {}\n'],
      ['a trailing comma of imports', 'import { a, b } from "c"\n', 'import {\n  a,\n  b,\n} from "c"\n'],
      ['brackets around the parameter of an arrow', 'list.map(x => x.y)\n', 'list.map((x) => x.y)\n'],
      ['brackets around it, after a word', 'export default x => x\n', 'export default (x) => x\n'],
      ['brackets around it, also with another name', 'list.map(x => x.y)\n', 'list.map((each) => each.y)\n'],
    ],
    evolution: [
      ['a call continues on the next line', 'a\n(b)\n', 'a;\n(b)\n'],
      ['an index does', 'a\n[b]\n', 'a;\n[b]\n'],
      ['a template does', 'a\n`b`\n', 'a;\n`b`\n'],
      ['a division does', 'a\n/b/g\n', 'a;\n/b/g\n'],
      ['a sign does', 'a\n-b\n', 'a;\n-b\n'],
      ['an operator that is a word does', 'a\nin\nb\n', 'a;\ninof\nb\n'],
      ['an empty statement', 'if (a) b()\n', 'if (a);\nb()\n'],
      ['the body of a loop', 'while (a) b()\n', 'while (a);\nb()\n'],
      ['a semicolon after return', 'function f() { return a }\n', 'function f() { return; a }\n'],
      ['a field that is named like a modifier', 'class A { static a = 1 }\n', 'class A { static; a = 1 }\n'],
      ['a getter', 'class A { get a() { return 1 } }\n', 'class A { get; a() { return 1 } }\n'],
      ['one more hole', 'f([a,,])\n', 'f([a,])\n'],
      ['a hole', 'f([,])\n', 'f([])\n'],
      ['a quote in quotes', 'f("a\'b")\n', "f('a\"b')\n"],
      ['an escape', 'f("\\\\")\n', "f('\\n')\n"],
      ['a text and a template', 'f("a$b")\n', 'f(`a$b`, c)\n'],
      ['a default of the parameter', 'g(x => x)\n', 'g((x = 1) => x)\n'],
      ['a destructured parameter', 'g(x => x)\n', 'g(({ x }) => x)\n'],
      ['all of the parameters', 'g(x => x)\n', 'g((...x) => x)\n'],
      ['a type of the parameter', 'export const g = x => x\n', 'export const g = (x: string) => x\n'],
    ],
  }),
  ...pairsOf('src/format.mjs', {
    refactor: [
      [
        'semicolons and quotes',
        'import a from "a"\nexport const b = async x => await a(x, "c")\n',
        "import a from 'a';\nexport const b = async x => await a(x, 'c',);\n",
      ],
      [
        'brackets around the parameter of an arrow',
        'const a = x => x\nexport { a }\n',
        'const a = (x) => x\nexport { a, }\n',
      ],
    ],
    evolution: [
      ['async is a name here', 'const f = async\nx => x\n', 'const f = async;\n(x) => x\n'],
      ['let is a name here', 'f(a)\nlet\nb\n', 'f(a)\nlet;\nb\n'],
    ],
  }),
  ...pairsOf('src/format.tsx', {
    refactor: [['quotes of an attribute', 'export const a = <b c="d" />\n', "export const a = <b c='d' />\n"]],
    evolution: [['an attribute that is code', 'export const a = <b c="d" />\n', 'export const a = <b c={d} />\n']],
  }),
  ...pairsOf('src/format.py', {
    refactor: [
      ['a trailing comma', 'x = f(a, [b, c])\n', 'x = f(\n    a,\n    [b, c,],\n)\n'],
      ['a trailing comma of keys', "x = {'a': 1}\n", "x = {\n    'a': 1,\n}\n"],
      ['a trailing comma of parameters', 'def f(a, b=1):\n    pass\n', 'def f(\n    a,\n    b=1,\n):\n    pass\n'],
      ['other quotes', "x = 'a' + f'{b}'\n", 'x = "a" + f"{b}"\n'],
    ],
    evolution: [
      ['a tuple', 'x = (a)\n', 'x = (a,)\n'],
      ['a tuple without brackets', 'x = a\n', 'x = a,\n'],
      ['an index that is a tuple', 'x = a[b]\n', 'x = a[b,]\n'],
      ['a destructured value', 'for a in b:\n    pass\n', 'for a, in b:\n    pass\n'],
      ['bytes', 'x = "a"\n', "x = b'a'\n"],
      ['a text over several lines', 'x = "a"\n', 'x = """a """\n'],
    ],
  }),
  ...pairsOf('src/format.rs', {
    refactor: [
      [
        'a trailing comma',
        'fn f(a: u8) -> S { S { a: g(a, [1, 2]) } }\n',
        'fn f(\n    a: u8,\n) -> S {\n    S {\n        a: g(\n            a,\n            [1, 2,],\n        ),\n    }\n}\n',
      ],
    ],
    evolution: [
      ['a tuple of one', 'fn f() -> (u8) { (1) }\n', 'fn f() -> (u8,) { (1,) }\n'],
      ['the arguments of a macro', 'fn f() { g!(a) }\n', 'fn f() { g!(a,) }\n'],
    ],
  }),
  ...pairsOf('pkg/format.go', {
    refactor: [
      [
        'a trailing comma',
        'package p\n\nvar x = f(1, []int{2})\n',
        'package p\n\nvar x = f(\n\t1,\n\t[]int{\n\t\t2,\n\t},\n)\n',
      ],
    ],
    evolution: [['one more', 'package p\n\nvar x = f(1)\n', 'package p\n\nvar x = f(\n\t1,\n\t2,\n)\n']],
  }),
]
