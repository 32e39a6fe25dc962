export { oneLine, printable, printableJson } from '../core/printable.js'
