import { describe, expect, it } from 'vitest'
import { classify } from '../../../src/trace/classify/classify.js'

/** Changes that look like refactorings to a rule with one condition less; each was aimed at one of ours. */
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

describe('near misses of the rules', () => {
  it.each(['a.ts', 'a.mjs'])('are no refactorings: %s', async (path) => {
    const wrong: string[] = []
    for (const [one, other] of NEAR_MISSES) {
      for (const [before, after] of [
        [one, other],
        [other, one],
      ] as const) {
        const found = await classify({ path, before: Buffer.from(before), after: Buffer.from(after) })
        if (found.class === 'AST_REFACTOR') wrong.push(`${before} => ${after} (${found.rule})`)
      }
    }
    expect(wrong).toEqual([])
  })
})
