/**
 * The change classifier: determines the effect of a change on the code by comparing a file's two contents.
 *
 * In: a path and the contents before and after. Out: `AST_REFACTOR`, `INTENT_EVOLUTION` or unverified, with the
 * reason. Tree-sitter parses the languages; a budget limits each file. A change is a refactoring only if that is
 * proven: every doubt makes the change unverified.
 * Must not happen here: reading a file, writing a record, or deciding by the class.
 */
export { languageOf } from './languages.js'
export { createMeasure, type KnownClasses, TOO_MUCH } from './measure.js'
export { CLASSIFIER } from './version.js'
