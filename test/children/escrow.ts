/** `escrow` as its users and their clients start it. */
import '../../src/cli/main.js'
