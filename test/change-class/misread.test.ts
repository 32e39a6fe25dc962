import { describe, expect, it } from 'vitest'
import { classify } from '../../src/change-class/classify.js'

type Row = readonly [why: string, path: string, before: string, after: string]

const classOf = async (path: string, before: string, after: string) =>
  (await classify({ path, before: Buffer.from(before), after: Buffer.from(after) })).class

/**
 * Texts that a grammar reads differently than the language, so that a comment or layout in its tree is code or data.
 */
const MISREAD: readonly Row[] = [
  ['the second backtick ends the command', 'a.sh', 'echo `a # b`; ls\n` # `\n', 'echo `a # b`; rm c\n` # `\n'],
  ['a # in a sum', 'a.sh', 'a=$((1 # b\n))\n', 'a=$((1 # $(b)\n))\n'],
  ['a # in an arithmetic command', 'a.sh', '((a = 1 # b\n))\n', '((a = 1 # $(b)\n))\n'],
  ['a # in a key', 'a.sh', `a=\${b[c # d\n]}\n`, `a=\${b[c # $(d)\n]}\n`],
  ['a # in a loop', 'a.sh', 'for ((;a < 1;# b\n)); do c; done\n', 'for ((;a < 1;# $(b)\n)); do c; done\n'],
  ['a # after a form feed', 'a.sh', 'a\f# b\n', 'a\f# $(b)\n'],
  ['a # after a list', 'a.sh', 'a=(b)\n', 'a=(b)# c\n'],
  ['a # after a block', 'a.sh', 'f() { a; }\n', 'f() { a; }# b\n'],
  ['a # after a test', 'a.sh', '[[ a ]]\n', '[[ a ]]# b\n'],
  ['an indented delimiter', 'a.sh', 'cat <<E\n  E\nb  c\nE\n', 'cat <<E\n  E\nb c\nE\n'],
  ['a comment in a here-document', 'a.sh', 'cat <<E\n  E\n# b\nE\n', 'cat <<E\n  E\n# c\nE\n'],
  ['spaces before the delimiter', 'a.sh', 'cat <<-E\n  E\nb  c\nE\n', 'cat <<-E\n  E\nb c\nE\n'],
  ['a blank after the delimiter', 'a.sh', 'cat <<E\na\nE \nb  c\nE\n', 'cat <<E\na\nE \nb c\nE\n'],
  ['a semicolon after the delimiter', 'a.sh', 'cat <<E\na\nE;\nb  c\nE\n', 'cat <<E\na\nE;\nb c\nE\n'],
  ['a delimiter in quotes', 'a.sh', "cat <<'E'\n E\nb  c\nE\n", "cat <<'E'\n E\nb c\nE\n"],
  ['a continued line', 'a.sh', 'cat <<E\na\\\nE\nb  c\nE\n', 'cat <<E\na\\\nE\nb c\nE\n'],
  ['a byte order mark before the first #', 'a.sh', '\ufeff# b\nc\n', '\ufeff# $(d)\nc\n'],
  ['a comment with a backslash before a blank', 'a.h', '// a \\ \nint b = 1;\n', '// a \\ \nint\nb = 1;\n'],
  ['a division in old C', 'a.h', 'int a = b //* c */ 2\n;\n', 'int a = b\n;\n'],
  [
    'a branch in a comment of skipped code',
    'a.cs',
    '#if A\n/* b\n#else\nint c;\n/* d */\n#endif\n',
    '#if A\n/* b\n#else\nint e;\n/* d */\n#endif\n',
  ],
  [
    'a string that begins in skipped code',
    'a.cs',
    '#if A\nvar s = @"\n#endif\nvar t = @"; b  c;\n#endif\n//";\n',
    '#if A\nvar s = @"\n#endif\nvar t = @"; b c;\n#endif\n//";\n',
  ],
  [
    'a comment that continues',
    'a.rb',
    '=begin\n =end\na = "\n=end\nb = "; c  d; "\n# "\n',
    '=begin\n =end\na = "\n=end\nb = "; c d; "\n# "\n',
  ],
  ['a comment after blanks', 'a.rb', '=begin\na\n=end\nb\n', ' =begin\na\n=end\nb\n'],
  ['a blank after the delimiter of a here-document', 'a.rb', 'p <<A\na\nA \nb  c\nA\n', 'p <<A\na\nA \nb c\nA\n'],
  ['a comment ends the code', 'a.php', '<?php // a ??> <?php b();\n', '<?php // a ??> <?php c();\n'],
  ['code after such a comment is printed', 'a.php', '<?php // a ??>\nb(  $c);\n', '<?php // a ??>\nb( $c);\n'],
  ['a bracket after the tag', 'a.php', '<?php (a)();\n', '<?php(a)();\n'],
  ['a comment after the tag', 'a.php', '<?php // a\nb();\n', '<?php// a\nb();\n'],
  ['a short tag may be printed', 'a.php', '<? a( $b);\n', '<? a($b);\n'],
  [
    'printed text like a comment',
    'a.php',
    '<?php a(); ?>\n// b ?> c <?= $d ?>\n',
    '<?php a(); ?>\n// e ?> c <?= $d ?>\n',
  ],
  ['a text like a comment', 'a.php', '<?php $a = <<<X\n$b\n// c\nX;\n', '<?php $a = <<<X\n$b\n// d\nX;\n'],
  ['white space before printed text', 'a.php', '<p><?php a();\n', '\n<p><?php a();\n'],
  ['a string after a word', 'a.css', 'a{font:1px/2"b  c"}', 'a{font:1px/2"b c"}'],
  ['an address has no comments', 'a.css', 'a{b:url(/*c*/d.png)}', 'a{b:url(/*e*/d.png)}'],
  [
    'another program runs it',
    'a.sh',
    '#!/usr/bin/env python3\ntry:\n  a\nfinally:\n  b\n  c\n',
    '#!/usr/bin/env python3\ntry:\n  a\nfinally:\n  b\nc\n',
  ],
  ['a division of another program', 'a.js', '#!/usr/bin/python3\na = b // c\n', '#!/usr/bin/python3\na = b // d\n'],
]

/** White space and comments that mean something in one language. */
const MEANING: readonly Row[] = [
  ['a pattern', 'a.sh', `a=\${b%%  *}\n`, `a=\${b%% *}\n`],
  ['a default', 'a.sh', `a=\${b:-$c  $d}\n`, `a=\${b:-$c $d}\n`],
  ['a replacement', 'a.sh', `a=\${b/c/  $d}\n`, `a=\${b/c/ $d}\n`],
  ['a key', 'a.sh', 'a[ b]=1\n', 'a[  b]=1\n'],
  ['a key in a list', 'a.sh', 'declare -A a=([b  c]=1)\n', 'declare -A a=([b c]=1)\n'],
  ['a key in arithmetic', 'a.sh', '((a[ b] = 1))\n', '((a[  b] = 1))\n'],
  ['the shell prints the script', 'a.sh', 'set -ev\n# b\nc\n', 'set -ev\nc\n'],
  [
    'a macro of any name makes a text',
    'a.cpp',
    '#define show(x) #x\nauto a = show(1+2);\n',
    '#define show(x) #x\nauto a = show(1 + 2);\n',
  ],
  ['a macro among members', 'a.cpp', 'struct A { F(int*a); };\n', 'struct A { F(int *a); };\n'],
  ['a macro before a comment', 'a.cpp', 'int a = F /* b */ (c+d);\n', 'int a = F /* b */ (c + d);\n'],
  ['a condition ends with its line', 'a.cpp', '#if A && B\nint a;\n#endif\n', '#if A &&\nB\nint a;\n#endif\n'],
  ['a condition of C#', 'a.cs', '#if A && B\nclass A {}\n#endif\n', '#if A &&\nB\nclass A {}\n#endif\n'],
  ['an import ends with its line', 'a.cpp', 'import a;\nint b;\n', 'import\na;\nint b;\n'],
  ['one number', 'a.cpp', 'int a = 0xe +1;\n', 'int a = 0xe+1;\n'],
  [
    'the value that a method extends',
    'a.cs',
    'class A { void B() { (a+b).C(); } }\n',
    'class A { void B() { (a + b).C(); } }\n',
  ],
  ['an index as text', 'a.cs', 'class A { int B() => a[b+c]; }\n', 'class A { int B() => a[b + c]; }\n'],
  [
    'a comment in an argument',
    'a.cs',
    'class A { int B() => C(a /* b */); }\n',
    'class A { int B() => C(a /* c */); }\n',
  ],
  ['documentation', 'a.cs', '/** <summary>A</summary> */\nclass A {}\n', '/** <summary>B</summary> */\nclass A {}\n'],
  ['an empty line ends a chain', 'a.rb', 'a\n  .b\n', 'a\n\n  .b\n'],
  ['an empty line instead of a comment', 'a.rb', 'a\n  # b\n  .c\n', 'a\n\n  .c\n'],
  ['a call, or an addition', 'a.rb', 'a +# b\n c\n', 'a + # b\n c\n'],
  ['a comment is not white space', 'a.css', 'a{b:calc(1px + 2px)}', 'a{b:calc(1px/**/+ 2px)}'],
  ['a namespace', 'a.css', 'a |b{c:d}', 'a/**/|b{c:d}'],
  ['a comment in a property', 'a.css', 'a{--x:b/* c */d}', 'a{--x:b/* e */d}'],
  ['a property like a rule', 'a.css', 'a{--x:b{c:d}}', 'a{--x:b{ c:d }}'],
  ['an attribute that is a comment', 'a.php', '<?php #[A(1)] function f() {}\n', '<?php #[A(1)]\nfunction f() {}\n'],
  ['brackets that are not a cast', 'a.php', '<?php $a = (int)-1;\n', '<?php $a = (int\n)-1;\n'],
  ['one number of PHP', 'a.php', '<?php $a = 1 . 2;\n', '<?php $a = 1 .2;\n'],
  ...[
    'NOLINTNEXTLINE(b)',
    'NOLINTBEGIN',
    'clang-format off',
    'GCOVR_EXCL_LINE',
    'coverity[b]',
    'codechecker_false_positive b',
  ].map((directive) => ['a directive for a linter', 'a.cpp', `// ${directive}\nint a;\n`, 'int a;\n'] as const),
  ['a directive for mutation tests', 'a.cs', '// Stryker disable all\nclass A {}\n', 'class A {}\n'],
  ['a directive for documentation', 'a.rb', '# :stopdoc:\na\n', 'a\n'],
  ['a template leaves it out', 'a.sh', '# {#\na\n', '# b\na\n'],
  ['a directive for a converter of units', 'a.css', 'a{b:1px; /* no */}', 'a{b:1px;}'],
]

const STILL: readonly Row[] = [
  [
    'plain here-documents',
    'a.sh',
    "cat <<E\n a\nE\ncat <<-'F'\n\ta\n\tF\nb  c\n",
    "cat <<E\n a\nE\ncat <<-'F'\n\ta\n\tF\nb c # d\n",
  ],
  [
    'backticks and subscripts',
    'a.sh',
    `# \`a\`\nb=\`c\`\nd "\${e[1]}" \`f\`\n`,
    `# \`g\`\nb=\`c\`\nd  "\${e[1]}"   \`f\`\n`,
  ],
  ['scripts of a shell', 'a.sh', '#!/usr/bin/env -S bash -e\na b\n', '#!/usr/bin/env -S bash -e\na  b\n'],
  ['scripts of Node', 'a.mjs', '#!/usr/bin/env node\na()\n', '#!/usr/bin/env node\na();\n'],
  ['conditions', 'a.cs', '#if A\nclass A{}\n#elif B\n#else\n#endif\n', '#if A\nclass A { }\n#elif B\n#else\n#endif\n'],
  ['block comments', 'a.rb', '=begin\na\n=end\nb  c\n', '=begin\nd\n=end\nb c\n'],
  ['texts', 'a.rb', 'a = <<~A\n  b\nA\nc  d\n', 'a = <<~A\n  b\nA\nc d\n'],
  ['a chain with comments', 'a.rb', 'a # b\n  .c\n', 'a # d\n    .c\n'],
  ['a page', 'a.php', '<p><?php if ($a): ?> b <?php endif ?>', '<p><?php if($a):  ?> b <?php endif ?>'],
  ['strings', 'a.css', 'a::before{content:"b  c";d:url("e")}', 'a::before {\n content: "b  c"; d: url("e") }'],
  [
    'arguments and headers',
    'a.cpp',
    'int a() { if (b&&c) { return d(1, 2); } }\n',
    'int a() {\n  if (b && c) {\n    return d( 1,\n      2 );\n  }\n}\n',
  ],
]

async function refusesBothWays(path: string, one: string, other: string): Promise<void> {
  expect(await classOf(path, one, other)).not.toBe('AST_REFACTOR')
  expect(await classOf(path, other, one)).not.toBe('AST_REFACTOR')
}

describe('code that the grammar reads differently than the language', () => {
  it.each(MISREAD)('is not a refactoring: %s (%s)', (_, path, one, other) => refusesBothWays(path, one, other))
})

describe('white space and comments with a meaning', () => {
  it.each(MEANING)('are not layout: %s (%s)', (_, path, one, other) => refusesBothWays(path, one, other))
})

describe('layout', () => {
  it.each(STILL)('is recognized next to %s (%s)', async (_, path, before, after) => {
    expect(await classOf(path, before, after)).toBe('AST_REFACTOR')
  })
})
