import { pairsOf } from './pair.js'

export const ruby = pairsOf('lib/a.rb', {
  refactor: [
    ['indentation', 'def f\n  g\nend\n', 'def f\n    g\nend\n'],
    ['a plain comment', 'def f\n  g\nend\n', '# Nothing else.\ndef f\n  g\nend\n'],
    ['blank lines', 'a\nb\n', 'a\n\nb\n'],
    ['more than one space', 'a = 1\n', 'a  =  1\n'],
  ],
  evolution: [
    ['a sign or a subtraction', 'foo -1\n', 'foo - 1\n'],
    ['an index or an argument', 'foo [1]\n', 'foo[1]\n'],
    ['a splat or a product', 'foo *a\n', 'foo * a\n'],
    ['a regular expression or a division', 'foo /a/\n', 'foo / a/\n'],
    ['a line break ends the call', 'foo a,\n  b\n', 'foo a\nb\n'],
    ['strings that are frozen', 'a = "b"\n', '# frozen_string_literal: true\na = "b"\n'],
    ['a here-document', 'a = <<A\n  b\nA\n', 'a = <<A\nb\nA\n'],
    ['a string over lines', 'a = "b\n  c"\n', 'a = "b\nc"\n'],
    ['__LINE__ knows its line', 'a = __LINE__\n', '\na = __LINE__\n'],
    ['a symbol', 'f :a\n', 'f :b\n'],
    ['a method that may fail', 'f!\n', 'f\n'],
    ['a directive for a type checker', 'f\n', '# typed: true\nf\n'],
  ],
})

export const php = pairsOf('src/a.php', {
  refactor: [
    ['layout', '<?php\nfunction f($a){return $a;}\n', '<?php\nfunction f($a)\n{\n    return $a;\n}\n'],
    ['a line comment', '<?php\nf();\n', '<?php\n// Once.\nf();\n'],
    ['white space in a call', '<?php\nf($a,$b);\n', '<?php\nf($a, $b);\n'],
  ],
  evolution: [
    ['text outside of the code', '<p>a</p><?php f();\n', '<p>b</p><?php f();\n'],
    ['white space after the code is printed', '<?php f(); ?>\n\na', '<?php f(); ?>\na'],
    ['an end of line after the code', '<?php f(); ?>', '<?php f(); ?>\n\n'],
    [
      'an annotation in a comment',
      '<?php\n/** @Route("/a") */\nfunction f() {}\n',
      '<?php\n/** @Route("/b") */\nfunction f() {}\n',
    ],
    ['the header of a plugin', '<?php\n/*\nPlugin Name: A\n*/\nf();\n', '<?php\n/*\nPlugin Name: B\n*/\nf();\n'],
    ['a here-document', '<?php\n$a = <<<A\n  b\n  A;\n', '<?php\n$a = <<<A\n  b\nA;\n'],
    ['a string over lines', "<?php\n$a = 'b\n  c';\n", "<?php\n$a = 'b\nc';\n"],
    [
      'a variable, as names of variables can be computed',
      '<?php\nfunction f() { $a = 1; return $a; }\n',
      '<?php\nfunction f() { $b = 1; return $b; }\n',
    ],
    ['strict types', '<?php\nf();\n', '<?php\ndeclare(strict_types=1);\nf();\n'],
    ['__LINE__ knows its line', '<?php\nf(__LINE__);\n', '<?php\n\nf(__LINE__);\n'],
  ],
})

export const bash = pairsOf('bin/a.sh', {
  refactor: [
    ['indentation', 'if a; then\nb\nfi\n', 'if a; then\n  b\nfi\n'],
    ['a plain comment', 'a\n', '# First things first\na\n'],
    ['more than one space', 'a b\n', 'a   b\n'],
    ['a comment after a command', 'a b\n', 'a b # it must\n'],
  ],
  evolution: [
    ['a word made of two', 'echo a b\n', 'echo ab\n'],
    ['spaces in quotes', 'echo "a  b"\n', 'echo "a b"\n'],
    ['a # that is not a comment', 'echo a#b\n', 'echo a #b\n'],
    ['a space in an assignment', 'a=b\n', 'a= b\n'],
    ['the text of a here-document', 'cat <<E\n a\nE\n', 'cat <<E\n  a\nE\n'],
    ['a here-document without its tabs', 'cat <<-E\n\ta\nE\n', 'cat <<E\n\ta\nE\n'],
    ['the interpreter', '#!/bin/sh\na\n', '#!/bin/bash\na\n'],
    ['an option of the job', '#!/bin/sh\n#SBATCH -N 1\na\n', '#!/bin/sh\n#SBATCH -N 2\na\n'],
    ['a script that prints its own comments', 'grep "^##" "$0"\n', '## help\ngrep "^##" "$0"\n'],
    ['a test without its space', '[ a = b ]\n', '[ a=b ]\n'],
    ['a command in the background', 'a ; b\n', 'a & b\n'],
    ['a removed quote', 'rm "$a"\n', 'rm $a\n'],
    ['a continued line', 'a \\\n  b\n', 'a\n  b\n'],
  ],
})

export const css = pairsOf('a.css', {
  refactor: [
    ['a rule on lines', 'a{color:red;margin:0 1px}\n', 'a {\n  color: red;\n  margin: 0 1px\n}\n'],
    ['a plain comment', 'a { color: red }\n', '/* links */\na { color: red }\n'],
    ['selectors on lines of their own', 'a,b{color:red}\n', 'a,\nb { color: red }\n'],
  ],
  evolution: [
    ['a descendant, or both of one element', 'a .b { color: red }\n', 'a.b { color: red }\n'],
    ['a descendant that is hovered', 'a :hover { color: red }\n', 'a:hover { color: red }\n'],
    ['a comment separates nothing', 'a .b { color: red }\n', 'a/**/.b { color: red }\n'],
    ['the order of rules', 'a { color: red }\na { color: blue }\n', 'a { color: blue }\na { color: red }\n'],
    ['another number', 'a { margin: 1px }\n', 'a { margin: 2px }\n'],
    ['another sign', 'a { margin: 1px }\n', 'a { margin: -1px }\n'],
    ['a space in a sum', 'a { width: calc(1px + 2px) }\n', 'a { width: calc(1px +2px) }\n'],
    ['a higher priority', 'a { color: red }\n', 'a { color: red !important }\n'],
    ['the value of a custom property', ':root { --a: b  c }\n', ':root { --a: b c }\n'],
    ['the header of a theme', '/*\nTheme Name: A\n*/\na { color: red }\n', '/*\nTheme Name: B\n*/\na { color: red }\n'],
    [
      'where a media query needs its space',
      '@media (a) and (b) { c { d: e } }\n',
      '@media (a) and(b) { c { d: e } }\n',
    ],
  ],
})

export const json = pairsOf('a.json', {
  refactor: [
    ['layout', '{"a":[1,2]}', '{\n  "a": [\n    1,\n    2\n  ]\n}\n'],
    ['a last line break', '{}', '{}\n'],
  ],
  evolution: [
    ['a value', '{"a":1}', '{"a":2}'],
    ['the order of names', '{"a":1,"b":2}', '{"b":2,"a":1}'],
    ['a number that parsers read differently', '{"a":1}', '{"a":1.0}'],
    ['white space in a string', '{"a":"b c"}', '{"a":"b  c"}'],
    ['a name twice', '{"a":1}', '{"a":1,"a":1}'],
    ['an escape', '{"a":"\\u0041"}', '{"a":"A"}'],
    ['a comment', '{"a":1}', '{"a":1} // one'],
  ],
})

export const yaml = pairsOf('a.yaml', {
  refactor: [
    ['layout', 'a:   1\nb: 2\n', 'a: 1\n\nb: 2\n'],
    ['another style of a list', 'a: [x, y]\n', 'a:\n  - x\n  - y\n'],
    ['a plain comment', 'a: 1\n', '# the first\na: 1\n'],
    ['a deeper indent', 'a:\n  b: 1\n', 'a:\n    b: 1\n'],
  ],
  evolution: [
    ['a string or a boolean', 'a: yes\n', 'a: "yes"\n'],
    ['a value', 'a: 1\n', 'a: 2\n'],
    ['the order of names', 'a: 1\nb: 2\n', 'b: 2\na: 1\n'],
    ['lines kept or folded', 'a: |\n  b\n  c\n', 'a: >\n  b\n  c\n'],
    ['a tag', 'a: b\n', 'a: !x b\n'],
    ['the first line is a command', 'a: 1\n', '#cloud-config\na: 1\n'],
    ['a template fills in comments too', '# {{ a }}\nb: 1\n', '# {{ c }}\nb: 1\n'],
    ['another level', 'a:\n  b: 1\n', 'a:\nb: 1\n'],
    ['a key without a value', 'a:\n', 'a: ""\n'],
    ['a second document', 'a: 1\n', 'a: 1\n---\nb: 2\n'],
  ],
})
