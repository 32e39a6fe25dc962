import { pairsOf } from './pair.js'

const C = (body: string) => `class A {\n${body}}\n`

export const rust = pairsOf('src/a.rs', {
  refactor: [
    ['layout', 'fn f()->u8{1}\n', 'fn f() -> u8 {\n    1\n}\n'],
    ['a plain comment', 'fn f() {}\n', '// Nothing yet.\nfn f() {}\n'],
    ['functions in another order', 'fn a() {}\nfn b() {}\n', 'fn b() {}\nfn a() {}\n'],
    [
      'methods in another order',
      'impl A {\n    fn a(&self) {}\n    fn b(&self) {}\n}\n',
      'impl A {\n    fn b(&self) {}\n    fn a(&self) {}\n}\n',
    ],
  ],
  evolution: [
    ['the value without its semicolon is returned', 'fn f() -> () { g() }\n', 'fn f() -> () { g(); }\n'],
    [
      'an example in the documentation is run',
      '/// ```\n/// assert!(true);\n/// ```\nfn f() {}\n',
      '/// ```\n/// assert!(false);\n/// ```\nfn f() {}\n',
    ],
    ['an attribute', 'fn f() {}\n', '#[inline]\nfn f() {}\n'],
    ['an attribute is about the next item', '#[test]\nfn a() {}\nfn b() {}\n', '#[test]\nfn b() {}\nfn a() {}\n'],
    ['a macro sees its tokens apart', 'm!(a + = b);\n', 'm!(a += b);\n'],
    ['line!() knows its line', 'fn f() -> u32 { line!() }\n', '\nfn f() -> u32 { line!() }\n'],
    [
      'a macro is known below its definition only',
      'macro_rules! m { () => {} }\nfn a() { m!() }\n',
      'fn a() { m!() }\nmacro_rules! m { () => {} }\n',
    ],
    ['another type', 'fn f(a: u8) {}\n', 'fn f(a: u16) {}\n'],
    ['a reference', 'fn f(a: u8) { g(a) }\n', 'fn f(a: u8) { g(&a) }\n'],
    ['a visibility', 'fn f() {}\n', 'pub fn f() {}\n'],
    ['a string over lines', 'const A: &str = "a\n  b";\n', 'const A: &str = "a\nb";\n'],
    [
      'a local name, as no rule of ours knows the scopes',
      'fn f() { let a = 1; m!(b); g(a) }\n',
      'fn f() { let b = 1; m!(b); g(b) }\n',
    ],
  ],
})

export const java = pairsOf('src/A.java', {
  refactor: [
    ['layout', 'class A{int f(){return 1;}}\n', 'class A {\n  int f() {\n    return 1;\n  }\n}\n'],
    ['a plain comment', C('  void f() {}\n'), C('  // Nothing.\n  void f() {}\n')],
    ['methods in another order', C('  void a() {}\n  void b() {}\n'), C('  void b() {}\n  void a() {}\n')],
    ['a chain on lines of its own', C('  int x = a.b().c();\n'), C('  int x = a\n      .b()\n      .c();\n')],
  ],
  evolution: [
    [
      'an escape ends the comment before it is one',
      C('  // one\n  void f() {}\n'),
      C('  // one \\u000a int x = g();\n  void f() {}\n'),
    ],
    ['fields are set in their order', C('  int a = f();\n  int b = g();\n'), C('  int b = g();\n  int a = f();\n')],
    [
      'a method that carries an annotation',
      C('  @Bean A a() {}\n  @Bean B b() {}\n'),
      C('  @Bean B b() {}\n  @Bean A a() {}\n'),
    ],
    ['an annotation', C('  void f() {}\n'), C('  @Deprecated void f() {}\n')],
    ['a modifier', C('  void f() {}\n'), C('  static void f() {}\n')],
    ['another type', C('  int a = 1;\n'), C('  long a = 1;\n')],
    ['a cast', C('  int a = b;\n'), C('  int a = (int) b;\n')],
    ['a text block', C('  String a = """\n    x\n    """;\n'), C('  String a = """\n      x\n    """;\n')],
    ['script in a comment', C('  native void f() /*-{ a() }-*/;\n'), C('  native void f() /*-{ b() }-*/;\n')],
    ['another operator', C('  int a = b >> 1;\n'), C('  int a = b >>> 1;\n')],
  ],
})

export const csharp = pairsOf('src/A.cs', {
  refactor: [
    ['layout', 'class A{int F(){return 1;}}\n', 'class A\n{\n  int F()\n  {\n    return 1;\n  }\n}\n'],
    ['a plain comment', C('  void F() {}\n'), C('  // Nothing.\n  void F() {}\n')],
    ['methods in another order', C('  void A1() {}\n  void B1() {}\n'), C('  void B1() {}\n  void A1() {}\n')],
  ],
  evolution: [
    [
      'a method may ask for the text of its arguments',
      C('  void F() { Check(a==b); }\n'),
      C('  void F() { Check(a == b); }\n'),
    ],
    ['a symbol for the compiler', `#define X\n${C('')}`, C('')],
    ['a condition for the compiler', `#if X\n${C('')}#endif\n`, `#if Y\n${C('')}#endif\n`],
    ['a nullable type', C('  string a;\n'), `#nullable enable\n${C('  string a;\n')}`],
    ['an attribute', C('  void F() {}\n'), C('  [Obsolete] void F() {}\n')],
    ['a string as it is written', C('  string a = @"x  y";\n'), C('  string a = @"x y";\n')],
    ['fields are set in their order', C('  int a = F();\n  int b = G();\n'), C('  int b = G();\n  int a = F();\n')],
    [
      'documentation that is shipped',
      C('  /// <summary>One</summary>\n  void F() {}\n'),
      C('  /// <summary>Two</summary>\n  void F() {}\n'),
    ],
    ['an await', C('  async Task F() { await G(); }\n'), C('  async Task F() { G(); }\n')],
  ],
})

export const cpp = pairsOf('src/a.cpp', {
  refactor: [
    ['layout', 'int f(){return 1;}\n', 'int f()\n{\n    return 1;\n}\n'],
    ['a plain comment', 'int f();\n', 'int f(); // soon\n'],
    ['arguments on lines of their own', 'int a = f(1, 2);\n', 'int a = f(1,\n          2);\n'],
  ],
  evolution: [
    ['a macro with a parameter, or one without', '#define F(x) 1\n', '#define F (x) 1\n'],
    ['the text of a macro', '#define F 1\n', '#define F 2\n'],
    ['a directive ends with its line', '#define F 1\nint a;\n', '#define F 1 int a;\n'],
    ['a macro makes a text of its argument', 'auto a = TEXT(b+c);\n', 'auto a = TEXT(b + c);\n'],
    ['a continued line after a comment', 'f();\n', '// one \\\nf();\n'],
    ['__LINE__ knows its line', 'int a = __LINE__;\n', '\nint a = __LINE__;\n'],
    [
      'declarations in another order',
      'int f(long);\nint g() { return f(1); }\nint f(int);\n',
      'int f(long);\nint f(int);\nint g() { return f(1); }\n',
    ],
    ['a literal of the program’s own', 'auto a = "x"_y;\n', 'auto a = "x" _y;\n'],
    ['a pragma', 'struct A {};\n', '#pragma pack(1)\nstruct A {};\n'],
    ['an include', '#include "a.h"\n', '#include "b.h"\n'],
    ['a raw string', 'auto a = R"(x\n y)";\n', 'auto a = R"(x\ny)";\n'],
    ['a qualifier', 'int f(int& a);\n', 'int f(const int& a);\n'],
    ['a branch for the compiler', '#ifdef A\nint a;\n#endif\n', '#ifndef A\nint a;\n#endif\n'],
  ],
})
