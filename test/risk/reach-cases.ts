import type { FactName } from '../../src/risk/facts.js'
import type { Case } from './cases.js'

const code = (line: string, ...facts: readonly FactName[]): Case => ['src/a.ts', 'f()\n', `${line}\nf()\n`, facts]
const test = (text: string, ...facts: readonly FactName[]): Case => ['test/new.test.js', null, text, facts]
const guide = (text: string, isRun = true): Case => ['docs/a.md', '# A\n', text, isRun ? ['document-runs'] : []]
const sphinx = (text: string, isRun = true): Case => ['docs/a.rst', 'A\n', text, isRun ? ['document-runs'] : []]

/** Uses of the system that other spellings hid, and ways to disable a check. */
export const REACHES: readonly Case[] = [
  code('require(`child_process`).execSync(x)', 'process-new'),
  code('require("child\\x5fprocess").execSync(x)', 'dynamic-import'),
  code('import run from "child\\u005fprocess"\nrun.execSync(x)', 'module-new'),
  code('export * from "node:child_process"', 'module-new'),
  code('import run = require("child_process")\nrun.execSync(x)', 'module-new'),
  code('import * as run from "node:child_process"\nconst other = run\nother.execSync(x)', 'process-new'),
  code('import { Worker } from "worker_threads"\nnew Worker(x, { eval: true })', 'module-new'),
  code('import x from "node:something-new"', 'module-new'),
  code('import "data:text/javascript,f()"', 'module-new'),
  code('import "/opt/x.mjs"', 'module-new'),
  code('import "../../x.mjs"', 'module-new'),
  code('import "../.git/x.mjs"', 'module-new'),
  code('require("./x.node")', 'module-new'),
  code('import { join } from "node:path"\nimport { g } from "./g.js"\nimport other from "other"'),
  code('const load = require\nload(x)', 'dynamic-import'),
  code('module.require("child_process").execSync(x)', 'dynamic-import'),
  code('process.mainModule.require("x")', 'dynamic-import'),
  code('process.getBuiltinModule("child_process").execSync(x)', 'dynamic-import'),
  code('if (typeof require === "function" && require.main === module) require.resolve("x")'),
  code('const e = eval\ne(x)', 'runs-text'),
  code('const run = (() => {}).constructor("f()")', 'runs-text'),
  code('const run = []["constructor"]["constructor"]("f()")', 'runs-text'),
  code('const other = new this.constructor(x)'),
  code('const isFunction = x instanceof Function'),
  code('ev\\u0061l(x)', 'escaped-name'),
  code('globalThis["ev" + "al"](x)', 'global-state'),
  code('Array.prototype.map = () => []', 'global-state'),
  code('Object.defineProperty(Object.prototype, "x", { value: 1 })', 'global-state'),
  code('import assert from "assert"\nassert.equal = () => {}', 'global-state'),
  code('process.exit(0)', 'process-state'),
  code('process.exitCode = 0', 'process-state'),
  code('process.env.NODE_OPTIONS = x', 'process-state'),
  code('process["ex" + "it"](0)', 'process-state'),
  code('console.log(process.argv, process.env.HOME, process.cwd())'),
  // The same lines in another order: a former comment is executed.
  ['src/a.ts', 'f()\n/*\neval(x)\n*/\ng()\n', 'f()\n/*\n*/\neval(x)\ng()\n', ['runs-text']],
  code('// @ts-nocheck', 'check-suppressed'),
  code('/* eslint-disable no-eval */', 'check-suppressed'),
  ['src/a.py', 'f()\n', 'f()  # type: ignore\n', ['check-suppressed']],
  ['src/a.tsx', 'f()\n', '/** @jsxImportSource ./evil */\nf()\n', ['module-new']],
  ['src/a.tsx', 'f()\n', '/** @jsxImportSource react */\nf()\n', []],
  ['src/a.js', '#!/usr/bin/env node\nf()\n', '#!/usr/bin/env -S node --import ./x.js\nf()\n', ['script-runner']],
  test('describe.only("a", () => { it("b", () => {}) })\n', 'test-switched-off'),
  test('before(function () { this.skip() })\n', 'test-switched-off'),
  test('process.exit(0)\n', 'process-state'),
  test('test("a", () => { ok(f()) })\n'),
]

export const DOCUMENTS: readonly Case[] = [
  guide('# A\n\n<script setup>\nf()\n</script>\n'),
  guide('# A\n\n<img src=x onerror="f()">\n'),
  guide('# A\n\n[a](javascript:f())\n'),
  guide('# A\n\n{{ constructor.constructor("f()")() }}\n'),
  guide('# A\n\n{% include_relative x %}\n'),
  guide('---js\n{ title: f() }\n---\n# A\n'),
  guide('---\ntitle: A\n---\n# A\n', false),
  guide('# A\n\n```{r}\nf()\n```\n'),
  guide('# A\n\n```python exec="on"\nf()\n```\n'),
  guide('# A\n\n<!-- [[[cog f() ]]] -->\n'),
  guide('# A\n\n```js\nf()\n```\n\n![a](b.png) <br> `a<b>`\n', false),
  sphinx('A\n\n>>> f()\n3\n'),
  sphinx('A\n\n.. program-output:: f\n'),
  sphinx('A\n\n.. literalinclude:: /etc/x\n'),
  sphinx('A\n\n.. note:: Text\n\n.. code-block:: python\n\n   f()\n', false),
  ['docs/a.adoc', 'A\n', 'A\n\ninclude::x[]\n', ['document-runs']],
]
