/**
 * The change classifier: what a change of a file does to the code, as a fact about its two contents.
 *
 * In come a path and the contents before and after; out goes `AST_REFACTOR`, `INTENT_EVOLUTION` or unverified with the
 * reason. Languages are parsed by tree-sitter; a budget bounds each file. A refactoring is claimed only where it
 * is proven: every doubt makes the change unverified.
 * May not happen here: a file read, a record written, a decision made from the class.
 */
export { languageOf } from './languages.js'
export { createMeasure, type KnownClasses, TOO_MUCH } from './measure.js'
