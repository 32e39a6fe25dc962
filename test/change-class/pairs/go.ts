import { pairsOf } from './pair.js'

const IN = (body: string) => `package p\n\n${body}`

export const go = pairsOf('pkg/p.go', {
  refactor: [
    ['indentation is layout', IN('func f() int {\n  return 1\n}\n'), IN('func f() int {\n\treturn 1\n}\n')],
    ['a plain comment says nothing to the compiler', IN('func f() {}\n'), IN('// f does nothing.\nfunc f() {}\n')],
    [
      'a body on one line has the same statements',
      IN('func f() int { return 1 }\n'),
      IN('func f() int {\n\treturn 1\n}\n'),
    ],
    ['white space in a call is layout', IN('var x = f(1,2)\n'), IN('var x = f(1, 2)\n')],
    ['arguments may go to lines of their own after a comma', IN('var x = f(1, 2)\n'), IN('var x = f(1,\n\t2)\n')],
    ['blank lines are layout', IN('var a = 1\nvar b = 2\n'), IN('var a = 1\n\n\nvar b = 2\n')],
  ],
  evolution: [
    ['another number', IN('var x = 1\n'), IN('var x = 2\n')],
    [
      'a line break after return ends the statement',
      IN('func f() (x int) {\n\treturn x\n}\n'),
      IN('func f() (x int) {\n\treturn\n\tx\n}\n'),
    ],
    ['an exported name is another', IN('func Get() {}\n'), IN('func Fetch() {}\n')],
    ['a build constraint decides what is compiled', IN('var a = 1\n'), `//go:build linux\n\n${IN('var a = 1\n')}`],
    ['the comment before import "C" is C code', IN('// int a = 1;\nimport "C"\n'), IN('// int a = 2;\nimport "C"\n')],
    [
      'the comment of an example is what it must print',
      IN('func ExampleF() {\n\tf()\n\t// Output:\n\t// a\n}\n'),
      IN('func ExampleF() {\n\tf()\n\t// Output:\n\t// b\n}\n'),
    ],
    ['an embed directive names a file', IN('//go:embed a.txt\nvar s string\n'), IN('//go:embed b.txt\nvar s string\n')],
    ['a raw string keeps its white space', IN('var s = `a\n  b`\n'), IN('var s = `a\nb`\n')],
    ['the operator is another', IN('var x = a - b\n'), IN('var x = a + b\n')],
    [
      'runtime.Caller sees on which line it is',
      IN('var _, _, l, _ = runtime.Caller(0)\n'),
      IN('\n\nvar _, _, l, _ = runtime.Caller(0)\n'),
    ],
  ],
})
