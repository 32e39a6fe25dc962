import { describe, expect, it } from 'vitest'
import { classify } from '../../src/change-class/classify.js'

/** Changes that would be refactorings by a rule with one condition less; each was designed against one of our rules. */
const NEAR_MISSES: readonly (readonly [before: string, after: string])[] = [
  // sloppy / annexB
  ['function f(){ { function a(){} } a() }', 'function f(){ { function b(){} } a() }'],
  [
    'export {}; function f(){ { function a(){} a() } return a }',
    'export {}; function f(){ { function b(){} b() } return a }',
  ],
  [
    'export const f = (x, g = () => x) => { var x; return g() }',
    'export const f = (y, g = () => y) => { var y; return g() }',
  ],
  ['export function f(){ const a = class {}; return a }', 'export function f(){ const b = class {}; return b }'],
  ['export function f(){ let a; a ??= () => 1; return a }', 'export function f(){ let b; b ??= () => 1; return b }'],
  [
    'export function f(){ const a = function(){}; return a.name }',
    'export function f(){ const b = function(){}; return b.name }',
  ],
  [
    'export function f(){ const [a = () => 1] = []; return a }',
    'export function f(){ const [b = () => 1] = []; return b }',
  ],
  [
    'export function f(){ const { x: a = () => 1 } = {}; return a }',
    'export function f(){ const { x: b = () => 1 } = {}; return b }',
  ],
  [
    'export function f(){ let a = 1; { let b = 2; { use(a, b) } } }',
    'export function f(){ let b = 1; { let b = 2; { use(b, b) } } }',
  ],
  [
    'import a from "a"; export const f = () => { const b = 1; return a(b) }',
    'import b from "a"; export const f = () => { const b = 1; return b(b) }',
  ],
  ['import { a } from "a"; export const f = () => a', 'import { b } from "a"; export const f = () => b'],
  ['let a = 1; export { a as b }', 'let c = 1; export { c as b }'],
  ['let a = 1; export default a', 'let c = 1; export default c'],
  ['export let { a } = x', 'export let { b } = x'],
  ['export let [a] = x', 'export let [b] = x'],
  ['export const { x: a } = y', 'export const { x: b } = y'],
  ['export class A { m(a) { return a } }', 'export class A { m(b) { return b } }'],
  [
    'class A { constructor(a) { this.a = a } } export const x = new A(1)',
    'class A { constructor(b) { this.a = b } } export const x = new A(1)',
  ],
  ['export {}; const g = { f(a) { return a } }; use(g)', 'export {}; const g = { f(b) { return b } }; use(g)'],
  [
    'export const f = () => { label: for (;;) { const a = 1; break label } }',
    'export const f = () => { other: for (;;) { const a = 1; break label } }',
  ],
  ['switch (x) { case 1: let a = 1; case 2: use(a) }', 'switch (x) { case 1: let b = 1; case 2: use(a) }'],
  [
    'export const f = () => { const a = 1; return () => { const b = 2; return a } }',
    'export const f = () => { const b = 1; return () => { const b = 2; return b } }',
  ],
  ['export const f = (a) => a', 'export const f = (b) => b'],
  [
    'export const f = async () => { for await (const a of b) c(a) }',
    'export const f = async () => { for (const a of b) c(a) }',
  ],
  [
    'export const f = () => { const undefined2 = 1; return undefined }',
    'export const f = () => { const undefined = 1; return undefined }',
  ],
  [
    'export const f = () => { const a = 1; return new Function("return a") }',
    'export const f = () => { const b = 1; return new Function("return a") }',
  ],
  [
    'export const f = () => { const a = 1; setTimeout(`use(a)`); return a }',
    'export const f = () => { const b = 1; setTimeout(`use(a)`); return b }',
  ],
  ['"use strict"\nfunction f(){}', 'function f(){}\n"use strict"'],
  ['a\nfunction f(){}\n(b)', 'function f(){}\na\n(b)'],
  [
    'export const f = () => { function g(){ return 1 } var g = 2; return g }',
    'export const f = () => { var g = 2; function g(){ return 1 } return g }',
  ],
  ['if (a) { f(); function g(){} }', 'if (a) { function g(){} f(); }'],
  ['x = a\n/b/g', 'x = a /b/g'],
  ['let x = a\n++\nb', 'let x = a\n++b'],
  ['var a = function(){}\n(function(){})()', 'var a = function(){};\n(function(){})()'],
  ['class A { static\na }', 'class A { static a }'],
  ['class A { x\n[y] = 1 }', 'class A { x; [y] = 1 }'],
  ['class A { async\nf(){} }', 'class A { async f(){} }'],
  ['type\nA = 1', 'type A = 1'],
  ['declare\nvar a', 'declare var a'],
  ['abstract\nclass A {}', 'abstract class A {}'],
  ['let a = b as\nc', 'let a = b\nas\nc'],
  ['let a = b\n!c', 'let a = b!\nc'],
  ['if (a)\n;b()', 'if (a) b()'],
  ['for (;;) {}\n', 'for (;;) ;{}\n'],
  ['interface A { a: string\nb: number }', 'interface A { a: string; b: number; c: 1 }'],
  ['const a = 1 // @ts-ignore\nb()', 'const a = 1\n// @ts-ignore\nb()'],
  ['import type { A } from "a"', 'import { A } from "a"'],
  ['// plain\na()', '//# sourceMappingURL=x\na()'],
  [
    'export const f = () => { const a = 1; { var b = a } return b }',
    'export const f = () => { const a = 1; { let b = a } return b }',
  ],
  [
    'export const f = (o) => { const { a: x, ...rest } = o; return rest }',
    'export const f = (o) => { const { b: x, ...rest } = o; return rest }',
  ],
  [
    'export const f = () => { let a; ({ a } = g()); return a }',
    'export const f = () => { let b; ({ b } = g()); return b }',
  ],
  [
    'export const f = () => { let a; ({ x: a } = g()); return { a: 1 } }',
    'export const f = () => { let b; ({ x: b } = g()); return { b: 1 } }',
  ],
  [
    'export const f = () => { const a = 1; return { get a() { return 2 } } }',
    'export const f = () => { const b = 1; return { get b() { return 2 } } }',
  ],
  [
    'export const f = () => { const a = 1; return class { a = a } }',
    'export const f = () => { const b = 1; return class { b = b } }',
  ],
  [
    'export const f = () => { const a = 1; return class { [a] = 1 } }',
    'export const f = () => { const b = 1; return class { [a] = 1 } }',
  ],
  ['export const f = <T>(x: T) => x', 'export const f = <U>(x: T) => x'],
  [
    'export const f = () => { const a = 1; type B = typeof a; let c: B; return c }',
    'export const f = () => { const d = 1; type B = typeof a; let c: B; return c }',
  ],
  [
    `export const f = () => { const a = g(); debugger; return \`\${a}\` }`,
    `export const f = () => { const b = g(); debugger; return \`\${a}\` }`,
  ],
]

/** The same for other languages. */
const OTHERS: readonly (readonly [path: string, before: string, after: string])[] = [
  [
    'a.py',
    'def f():\n    x = 1\n    class A:\n        y = x\n    return A\n',
    'def f():\n    z = 1\n    class A:\n        y = z\n    return A\n',
  ],
  [
    'a.py',
    'def f():\n    x = 1\n    def g():\n        nonlocal x\n        x = 2\n    g()\n    return x\n',
    'def f():\n    z = 1\n    def g():\n        nonlocal z\n        z = 2\n    g()\n    return z\n',
  ],
  ['a.py', 'def f(a):\n    return [x for x in a], x\n', 'def f(a):\n    return [y for y in a], x\n'],
  ['a.py', 'def f(a):\n    x = 1\n    return [x for x in x]\n', 'def f(a):\n    x = 1\n    return [y for y in x]\n'],
  [
    'a.py',
    'x = 1\ndef f():\n    if a:\n        x = 2\n    return x\n',
    'x = 1\ndef f():\n    if a:\n        y = 2\n    return x\n',
  ],
  ['a.py', 'def f():\n    from m import x\n    return x\n', 'def f():\n    from m import y\n    return y\n'],
  ['a.py', 'def f():\n    import a.b\n    return a\n', 'def f():\n    import c.b\n    return c\n'],
  ['a.py', 'def f():\n    x: int = 1\n    return x\n', 'def f():\n    y: int = 1\n    return x\n'],
  [
    'a.py',
    'class A:\n    def f(self):\n        x = 1\n        return self.x\n',
    'class A:\n    def f(self):\n        y = 1\n        return self.y\n',
  ],
  ['a.py', 'if a: b(); c()\n', 'if a: b()\nc()\n'],
  ['a.py', 'x = (\n1\n)\n', 'x = (\n1,\n)\n'],
  ['a.py', 'def f():\n    return\n    x\n', 'def f():\n    return x\n'],
  ['a.py', 'a = b if c else d\n', 'a = (b if c else d)\n'],
  ['a.py', 'print("a" "b")\n', 'print("a", "b")\n'],
  ['a.py', 'x = "a" \\\n"b"\n', 'x = "a"\n"b"\n'],
  ['a.py', '# comment\n"""doc"""\n', '"""doc"""\n# -*- coding: x\n'],
  ['a.go', 'package p\nfunc f() { x := a\n+b\n_ = x }\n', 'package p\nfunc f() { x := a +b\n_ = x }\n'],
  [
    'a.go',
    'package p\nfunc init() { a() }\nfunc init() { b() }\n',
    'package p\nfunc init() { b() }\nfunc init() { a() }\n',
  ],
  ['a.go', 'package p\nvar a = f()\nvar b = g()\n', 'package p\nvar b = g()\nvar a = f()\n'],
  [
    'a.go',
    'package p\n//go:noinline\nfunc f() {}\nfunc g() {}\n',
    'package p\nfunc f() {}\n//go:noinline\nfunc g() {}\n',
  ],
  [
    'a.go',
    'package p\nfunc f() int {\n for {\n break\n }\n return 1\n}',
    'package p\nfunc f() int {\n for {\n break; return 1\n }\n }',
  ],
  ['a.rs', '#[cfg(a)]\nfn f() {}\nfn g() {}\n', 'fn f() {}\n#[cfg(a)]\nfn g() {}\n'],
  ['a.rs', 'fn f() { let x = 1; { let x = 2; } g(x) }', 'fn f() { let x = 1; { let y = 2; } g(x) }'],
  ['a.rs', 'fn f() { a..b }', 'fn f() { a.. b; }'],
  ['a.rs', 'fn f() { x & & y }', 'fn f() { x && y }'],
  ['a.rs', 'fn f() { return - 1 }', 'fn f() { return -1 ; }'],
  ['a.java', 'class A { int a = 1; { b(); } int c = 2; }', 'class A { { b(); } int a = 1; int c = 2; }'],
  [
    'a.java',
    'class A { void a() {} static { b(); } void c() {} }',
    'class A { static { b(); } void a() {} void d() {} }',
  ],
  ['a.cs', '#if A\nclass A {}\n#endif\n', '#if A\n#endif\nclass A {}\n'],
  ['a.cs', 'class A { string s = $"{a}  {b}"; }', 'class A { string s = $"{a} {b}"; }'],
  ['a.cs', 'class A { string s = """\n  a\n  """; }', 'class A { string s = """\n a\n """; }'],
  ['a.cs', '#region a\nclass A {}\n#endregion\n', '#region b\nclass A {}\n#endregion\n'],
  ['a.cpp', '#define A \\\n 1\nint x;', '#define A\n 1\nint x;'],
  ['a.cpp', 'int a = 1 //\\\n+1\n;', 'int a = 1 //\n+1\n;'],
  ['a.cpp', 'auto a = "x" "y";', 'auto a = "x""y";'],
  ['a.cpp', 'auto a = L"x";', 'auto a = L "x";'],
  ['a.cpp', '#if 1\nint a;\n#else\nint b;\n#endif\n', '#if 1\nint a;\nint b;\n#else\n#endif\n'],
  ['a.cpp', '# define A 1\n', '#define A 2\n'],
  ['a.cpp', 'int a; %:define B\n', 'int a;\n%:define B\n'],
  ['a.rb', 'x = a ? b : c\n', 'x = a ?b : c\n'],
  ['a.rb', 'puts(-1)\n', 'puts (-1)\n'],
  ['a.rb', 'a.b do |x| x end\n', 'a.b { |x| x }\n'],
  ['a.rb', 'a\n  .b\n', 'a\n.b\nc\n'],
  ['a.rb', 'a = %w[b  c]\n', 'a = %w[b c]\n'],
  ['a.rb', 'a if b\nc\n', 'a\nif b\nc\nend\n'],
  ['a.rb', 'foo\n(1)\n', 'foo(1)\n'],
  ['a.rb', 'return\n1\n', 'return 1\n'],
  ['a.php', '<?php $a = "x $b  y";', '<?php $a = "x $b y";'],
  ['a.php', ' <?php f();', '<?php f();'],
  ['a.php', '<?php f(); ?>a', '<?php f(); ?> a'],
  ['a.php', '<?php if ($a): ?>b<?php endif; ?>', '<?php if ($a): ?> b<?php endif; ?>'],
  ['a.php', '<?php # comment ?>x', '<?php # comment ?>y'],
  ['a.php', '<?php // a ?> text', '<?php // a text'],
  ['a.sh', 'a=1 b\n', 'a=1; b\n'],
  ['a.sh', 'a && b\n', 'a &&\nc\n'],
  ['a.sh', '{ a; }\n', '{a; }\n'],
  ['a.sh', 'a >b\n', 'a > b c\n'],
  ['a.sh', 'a 2>b\n', 'a 2 >b\n'],
  ['a.sh', 'x=`ls  -l`\n', 'x=`ls -l`; y\n'],
  ['a.sh', `echo \${a:-b  c}\n`, `echo \${a:-b c}\n`],
  ['a.sh', 'echo {a,b}\n', 'echo {a, b}\n'],
  ['a.sh', 'case a in b) c;; esac\n', 'case a in b ) d;; esac\n'],
  ['a.sh', '[[ a =~ b\\ c ]]\n', '[[ a =~ b c ]]\n'],
  ['a.sh', 'echo $((1+2))\n', 'echo $( (1+2))\n'],
  ['a.sh', 'f() { a; }\n', 'f () { b; }\n'],
  ['a.sh', 'p \\ b\n', 'p \\  b\n'],
  ['a.sh', 'p \\ b\n', 'p \\\tb\n'],
  ['a.css', 'a > b{c:d}', 'a b{c:d}'],
  ['a.css', 'a{b:c d}', 'a{b:cd}'],
  ['a.css', 'a{b:url( x y )}', 'a{b:url(x y)}'],
  ['a.css', 'a{b:"x  y"}', 'a{b:"x y"}'],
  ['a.css', 'a{b:1 -1}', 'a{b:1-1}'],
  ['a.css', 'a::b{c:d}', 'a ::b{c:d}'],
  ['a.css', 'a[b="c" i]{d:e}', 'a[b="c"i ]{d:f}'],
  ['a.css', '@import url(a);b{c:d}', 'b{c:d}@import url(a);'],
  ['a.css', 'a{b:c}/* x */', 'a{b:c}/*! x */'],
  ['a.css', '.a:not(.b){c:d}', '.a:not( .b .c){c:d}'],
  ['a.css', 'a{--x:y}', 'a{--x: y}'],
  ['a.css', 'a{filter:progid:X(a=1)}', 'a{filter: progid: X(a=1)}'],
  ['a.tsx', 'const a = <b c="d\n e"/>', 'const a = <b c="d e"/>'],
  ['a.tsx', 'const a = <b>{" "}</b>', 'const a = <b> </b>'],
  ['a.tsx', 'const a = <b>x{" "}\ny</b>', 'const a = <b>x\ny</b>'],
  ['a.tsx', 'const a = <b>\tx</b>', 'const a = <b>x</b>'],
  ['a.tsx', 'const a = <b>x\u00a0\ny</b>', 'const a = <b>x\ny</b>'],
  ['a.tsx', 'const a = <b>{x} \n{y}</b>', 'const a = <b>{x} {y}</b>'],
  ['a.tsx', 'const a = <b>x\n\n y</b>', 'const a = <b>x  y</b>'],
  // One name in another spelling: NFKC in Python, escapes in JavaScript.
  ['a.py', 'def f():\n  a = g()\n  return h(a, fi)\n', 'def f():\n  \ufb01 = g()\n  return h(\ufb01, fi)\n'],
  ['a.py', 'def f():\n  a = g()\n  return h(a, \ufb01)\n', 'def f():\n  fi = g()\n  return h(fi, \ufb01)\n'],
  [
    'a.mjs',
    'export const f = () => { const a = 1; return [a, \\u0062] }',
    'export const f = () => { const b = 1; return [b, \\u0062] }',
  ],
  ['a.py', '#!/usr/bin/env python3\nf()\n', '#!/usr/bin/env python3\r\nf()\n'],
  ['a.mjs', '// Copyright A\nf()\n', 'f()\n'],
  // Programs read the source text of such functions.
  ['a.mjs', 'f(function () { /* a */ })', 'f(function () { /* b */ })'],
  ['a.go', 'package a // import "b"\n', 'package a\n'],
  ['a.yaml', 'a: "b\n  c"\n', 'a: "b c"\nd: 1\n'],
  ['a.yaml', 'a: 0x1F\n', 'a: 31\n'],
  ['a.yaml', 'a: b #c\n', 'a: b#c\n'],
  ['a.yaml', '- a\n-\n  - b\n', '- a\n- b\n'],
  ['a.yaml', 'a: |\n  b\n', 'a: |+\n  b\n\n'],
  ['a.yaml', 'a: |\n  b\n', 'a: |-\n  b\n'],
  ['a.yaml', '? a\n: b\n', '? a\n? b\n'],
  ['a.yaml', 'a: !!str 1\n', 'a: 1\n'],
]

describe('near misses of the rules', () => {
  const rows = [...NEAR_MISSES.flatMap(([a, b]) => [['a.ts', a, b] as const, ['a.mjs', a, b] as const]), ...OTHERS]

  it('are not refactorings, in both directions', async () => {
    const wrong: string[] = []
    for (const [path, one, other] of rows) {
      for (const [before, after] of [
        [one, other],
        [other, one],
      ] as const) {
        const found = await classify({ path, before: Buffer.from(before), after: Buffer.from(after) })
        if (found.class === 'AST_REFACTOR') wrong.push(`${path}: ${before} => ${after} (${found.rule})`)
      }
    }
    expect(wrong).toEqual([])
  })
})
