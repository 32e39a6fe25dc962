export { oneLine, printable } from '../core/printable.js'
