/** `escrow` as its users and their clients start it, wherever the package is. */
import '../../src/cli/main.js'
